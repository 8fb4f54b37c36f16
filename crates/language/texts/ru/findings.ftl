# Выводы, предложениями, и названия ключевых показателей.

finding-in-short = Коротко
finding-starts-steady = Тест начинается с установившегося состояния, достигнутого за { $rounds ->
        [one] { $rounds } раунд
        [few] { $rounds } раунда
       *[many] { $rounds } раундов
    } по { $time } (записано { $bytes }).
finding-starts-unsteady = Тест начинается НЕ с установившегося состояния: за { $rounds ->
        [one] { $rounds } раунд
        [few] { $rounds } раунда
       *[many] { $rounds } раундов
    } по { $time } оно не достигнуто.

## Коротко о главном

summary-no-test = Не завершён ни один тест: судить не о чем.
summary-reads-faster = последовательное чтение быстрее последовательной записи в { $times }
summary-as-fast = последовательные чтение и запись примерно одинаково быстры
summary-writes-faster = последовательная запись быстрее последовательного чтения в { $times }
private-under-load = { $op ->
    [read] { $pattern ->
        [random] случайном чтении
       *[sequential] последовательном чтении
    }
    [write] { $pattern ->
        [random] случайной записи
       *[sequential] последовательной записи
    }
   *[mixed] { $pattern ->
        [random] случайной смешанной нагрузке
       *[sequential] последовательной смешанной нагрузке
    }
}
private-of-load = { $op ->
    [read] { $pattern ->
        [random] случайного чтения
       *[sequential] последовательного чтения
    }
    [write] { $pattern ->
        [random] случайной записи
       *[sequential] последовательной записи
    }
   *[mixed] { $pattern ->
        [random] случайной смешанной нагрузки
       *[sequential] последовательной смешанной нагрузки
    }
}
summary-holds = при { private-under-load } скорость не снижается все { $time }
summary-left = после { $time } { private-of-load } остаётся { $share } первоначальной скорости
summary-back-nothing = { $name } ничего не восстанавливается
summary-back-whole = { $name } накопитель снова как новый
summary-back-first = { $name } с высокой скоростью снова записывается { $bytes }
summary-back-first-from = { $name } с высокой скоростью снова записывается { $bytes }, начиная с
    { $share } скорости в свежем состоянии
summary-back-more = { $name } — { $bytes }
summary-back-more-from = { $name } — { $bytes }, начиная с { $share }
summary-scaled = Длительность каждого измерения умножена на { $scale }: эффекты, для которых нужна
    полная длительность, заданная редакцией методики, проявляются иначе или не проявляются вовсе.
summary-unfinished = Завершены не все тесты: заключение сделано по завершённым.
summary-unfinished-failed = Завершены не все тесты (не удались: { $failed }): заключение сделано по
    завершённым.
summary-slow-link = { $drive } работал по интерфейсу, который медленнее поддерживаемого накопителем
    ({ $link }): результаты могут определяться интерфейсом.
spoiled-rounds = раунды по { $time } слишком коротки для установившегося состояния
spoiled-written = записано { $written } из { $capacity }
spoiled-test = «{ $test }» ({ $why })
spoiled-tests = Из-за сокращённого прогона выводы не приводятся по тестам: { $tests }.

## Сравнение с конкурентами

rivals-clause = { $standing } { $group }
rivals-times = в { $times } быстрее
rivals-faster = на { $share } быстрее
rivals-level = на том же уровне
rivals-slower = на { $share } медленнее
rivals-share = показывает лишь { $share } скорости
rivals-group-reads = при чтении
rivals-group-writes = при записи
rivals-group-sustained = при длительной записи
rivals-group-mixed = при одновременных чтении и записи
rivals-group-applications = в приложениях
rivals-one = В сравнении с { $rivals } накопитель { $clauses }.
rivals-mean = В сравнении со средним по конкурентам ({ $rivals }) накопитель { $clauses }.
rivals-unlike = Измерены иным способом (см. условия), поэтому сравнивать нужно с осторожностью:
    { $drives }.
rivals-alone-level = { $rivals ->
    [1] Результат на уровне { $best } ({ $value }).
   *[other] Результат на уровне { $best } ({ $value }) — лучшего из конкурентов.
}
rivals-alone-ahead = { $rivals ->
    [1] Накопитель { $lead } быстрее, чем { $best } ({ $value }).
   *[other] Накопитель { $lead } быстрее, чем { $best } ({ $value }) — лучший из конкурентов.
}
rivals-alone-behind = { $rivals ->
    [1] { $best } показывает { $value }, { $more }.
   *[other] { $best }, лучший из конкурентов, показывает { $value }, { $more }.
}
rivals-more-nothing = против нуля
rivals-more-times = в { $times } больше
rivals-more-share = на { $share } больше
rivals-gap = { $figure }, где { $best } показывает { $value }, { $more }
rivals-lead-far = намного
rivals-lead-times = в { $times }
rivals-lead-share = на { $share }
private-in-all-figures = { $figures ->
    [2] обоим показателям
    [one] всем { $figures } показателю
   *[other] всем { $figures } показателям
}
rivals-all-behind = { $rivals ->
    [1] Накопитель уступает { $rival } по { private-in-all-figures }; сильнее всего — { $gap }.
   *[other] По каждому показателю есть более быстрый конкурент; отставание сильнее всего — { $gap }.
}
rivals-all-level = { $rivals ->
    [1] Накопитель наравне с { $rival } по { private-in-all-figures }.
   *[other] Накопитель наравне с конкурентами по { private-in-all-figures }.
}
rivals-none-behind = { $rivals ->
    [1] Накопитель ни в чём не уступает { $rival }; наибольшее преимущество — { $lead }
        ({ $figure }).
   *[other] Накопитель ни в чём не уступает конкурентам; наибольшее преимущество — { $lead }
        ({ $figure }).
}
rivals-some-behind = Накопитель лидирует или идёт наравне { $leading }; из остальных отставание
    сильнее всего — { $gap }.
rivals-one-behind = Накопитель лидирует или идёт наравне { $leading }; уступает он в одном — { $gap }.
rivals-leading-names = { $count ->
    [1] по показателю { $names }
   *[other] по показателям { $names }
}
rivals-leading-count = по { $count } из { $of } показателей

## Главные показатели

headline-sequential-read = Последовательное чтение
headline-sequential-write = Последовательная запись
headline-random-read = Случайное чтение, глубина очереди { $depth }
headline-random-write = Случайная запись, глубина очереди { $depth }
headline-sustained-write = { $pattern ->
    [random] Длительная случайная запись
   *[sequential] Длительная последовательная запись
}
headline-mixed = { $pattern ->
    [random] Смешанный случайный доступ, { $share } % чтения
   *[sequential] Смешанный последовательный доступ, { $share } % чтения
}
headline-traces = Трассы настольных программ
headline-benchmark = { $row }, { load-op }
