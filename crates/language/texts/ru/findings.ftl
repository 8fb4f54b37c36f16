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

spoiled-rounds = раунды по { $time } слишком коротки для установившегося состояния
spoiled-written = записано { $written } из { $capacity }
spoiled-test = «{ $test }» ({ $why })
spoiled-tests = Из-за сокращённого прогона выводы не приводятся по тестам: { $tests }.

## Сравнение с конкурентами

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
   *[other] Накопитель наравне с лучшим из конкурентов по { private-in-all-figures }.
}
rivals-none-behind = { $rivals ->
    [1] Накопитель ни в чём не уступает { $rival }; наибольшее преимущество — { $lead }
        ({ $figure }).
   *[other] Накопитель ни в чём не уступает лучшему из конкурентов; наибольшее преимущество — { $lead }
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
