# Заключение: целые предложения, которыми открывается обзор.

## Что это за накопитель

private-verdict-subject = { $model ->
    [yes] { $drive }
   *[no] «{ $drive }»
}
verdict-sequential-at-limit = Последовательный доступ у { private-verdict-subject } ограничивает только
    интерфейс { $link }: чтение идёт со скоростью { $read }, запись — { $write }.
verdict-sequential-reads-at-limit = { $slow ->
    [yes] Последовательное чтение у { private-verdict-subject } ограничивает только интерфейс { $link }
        ({ $read }), запись же намного медленнее: всего { $write }.
   *[no] Последовательное чтение у { private-verdict-subject } ограничивает только интерфейс { $link }
        ({ $read }), а запись идёт со скоростью { $write }.
}
verdict-sequential-below-limit = Последовательное чтение у { private-verdict-subject } идёт со
    скоростью { $read }, запись — { $write }, тогда как интерфейс { $link } допускает { $limit }.
verdict-sequential-unknown-link = { $class ->
    [hard-disk] Последовательное чтение у { private-verdict-subject } идёт со скоростью { $read },
        запись — { $write }: не быстрее жёсткого диска.
    [sata] Последовательное чтение у { private-verdict-subject } идёт со скоростью { $read }, запись —
        { $write }, как у накопителей с интерфейсом SATA.
   *[beyond] Последовательное чтение у { private-verdict-subject } идёт со скоростью { $read }, запись
        — { $write }: быстрее, чем допускает интерфейс SATA.
}

## Сравнение с конкурентами

private-verdict-area = { $area ->
    [reads] при чтении
    [writes] при записи
    [sustained] при длительной записи
    [mixed] при одновременных чтении и записи
   *[applications] в приложениях
}
private-verdict-lead = { $form ->
    [times] в { $lead }
   *[share] на { $lead }
}
private-verdict-behind = { $behind ->
    [reads] при чтении
    [writes] при записи
    [sustained] при длительной записи
    [mixed] при одновременных чтении и записи
   *[applications] в приложениях
}
verdict-standing-level = { $rivals ->
    [1] Во всём, что сравнивалось, он наравне с { $names }.
   *[other] Во всём, что сравнивалось, он на среднем уровне конкурентов: { $names }.
}
verdict-standing-ahead = { $throughout ->
    [yes] { $rivals ->
        [1] Он во всём быстрее, чем { $names }, а больше всего — { private-verdict-area }:
            { private-verdict-lead }.
       *[other] Он во всём быстрее, чем в среднем конкуренты ({ $names }), а больше всего —
            { private-verdict-area }: { private-verdict-lead }.
    }
   *[no] { $rivals ->
        [1] Он ни в чём не уступает { $names }, а { private-verdict-area } быстрее
            { private-verdict-lead }.
       *[other] Он ни в чём не уступает среднему уровню конкурентов ({ $names }), а
            { private-verdict-area } быстрее { private-verdict-lead }.
    }
}
verdict-standing-behind = { $throughout ->
    [yes] { $rivals ->
        [1] Он во всём уступает { $names }, а больше всего — { private-verdict-behind }: там у него
            { $share } скорости соперника.
       *[other] Он во всём уступает среднему уровню конкурентов ({ $names }), а больше всего —
            { private-verdict-behind }: там у него { $share } их скорости.
    }
   *[no] { $rivals ->
        [1] Он ни в чём не опережает { $names }, а { private-verdict-behind } достигает лишь
            { $share } скорости соперника.
       *[other] Он ни в чём не опережает средний уровень конкурентов ({ $names }), а
            { private-verdict-behind } достигает лишь { $share } их скорости.
    }
}
verdict-standing-mixed = { $rivals ->
    [1] По сравнению с { $names } он { private-verdict-area } быстрее { private-verdict-lead }, зато
        { private-verdict-behind } достигает лишь { $share } скорости соперника.
   *[other] По сравнению со средним уровнем конкурентов ({ $names }) он { private-verdict-area }
        быстрее { private-verdict-lead }, зато { private-verdict-behind } достигает лишь { $share } их
        скорости.
}
verdict-outlier = Среди конкурентов выделяется { $rival }: { private-verdict-area } он быстрее в
    { $times }.

## Как скоро он отвечает

verdict-response = { $class ->
    [quick] На короткое случайное чтение он отвечает за { $latency } — быстрее большинства
        накопителей.
    [usual] На короткое случайное чтение он отвечает за { $latency }, что обычно для
        твердотельного накопителя.
   *[slow] На короткое случайное чтение он отвечает лишь через { $latency }, что для
        твердотельного накопителя медленно.
}

## Длительная запись

private-verdict-sustained = { $pattern ->
    [random] случайной
   *[sequential] последовательной
}
verdict-lasting-holds = { $rank ->
    [strong] Длительная запись{ $pattern ->
        [random] {" "}в случайном порядке
       *[sequential] {" "}подряд
    } почти не замедляет его: после { $written } он всё ещё выдаёт { $end }, не меньше, чем обещают
        накопители для серверов; { $start } было вначале.
    [weak] Для работы, при которой запись идёт весь день, он не годится: { $end } при длительной
        { private-verdict-sustained } записи — мало (вначале { $start }, всего записано { $written }).
   *[usual] При длительной { private-verdict-sustained } записи он почти не замедляется: вначале
        { $start }, после { $written } — { $end }.
}
verdict-lasting-falls = { $rank ->
    [strong] При длительной { private-verdict-sustained } записи он после { $bytes } замедляется с
        { $start } до { $end }, но и это не меньше, чем обещают накопители для серверов.
    [weak] Для работы, при которой запись идёт весь день, он не годится: при длительной
        { private-verdict-sustained } записи он после { $bytes } замедляется с { $start } до { $end }.
   *[usual] При длительной { private-verdict-sustained } записи он после { $bytes } замедляется с
        { $start } до { $end }.
}
verdict-lasting-steps = { $rank ->
    [strong] Длительную { $pattern ->
        [random] случайную
       *[sequential] последовательную
    } запись он начинает с { $start }, большую часть первых { $bytes } принимает со скоростью
        { $middle }, а в конце выдаёт { $end } — не меньше, чем обещают накопители для серверов.
    [weak] Для работы, при которой запись идёт весь день, он не годится: длительную { $pattern ->
        [random] случайную
       *[sequential] последовательную
    } запись он начинает с { $start }, большую часть первых { $bytes } принимает со скоростью
        { $middle }, а в конце выдаёт лишь { $end }.
   *[usual] Длительную { $pattern ->
        [random] случайную
       *[sequential] последовательную
    } запись он начинает с { $start }, большую часть первых { $bytes } принимает со скоростью
        { $middle }, а в конце выдаёт { $end }.
}
verdict-rest-nothing = { $trim ->
    [whole] Простой сам по себе скорость не возвращает: сборки мусора в простое у него нет; после TRIM
        он снова как новый.
    [part] Простой сам по себе скорость не возвращает: сборки мусора в простое у него нет; после TRIM
        он снова быстро записывает { $trimmed }.
    [nothing] Скорость не возвращают ни простой, ни TRIM.
   *[unknown] Простой сам по себе скорость не возвращает: сборки мусора в простое у него нет.
}
verdict-rest-part = { $trim ->
    [whole] После простоя он снова быстро записывает { $bytes }, а после TRIM он снова как новый.
   *[other] После простоя он снова быстро записывает { $bytes }.
}
verdict-rest-whole = После простоя он снова как новый, даже без TRIM.

## Для кого

verdict-suits-desktop = { $day ->
    [yes] Для настольного компьютера его скорости достаточно: короткое чтение занимает { $latency }, а
        от обычных для такого компьютера { $volume } записи в день он не замедляется.
   *[no] Для настольного компьютера его скорости достаточно: короткое чтение занимает { $latency }.
}
verdict-suits-desktop-and-games = { $day ->
    [yes] Для настольного компьютера и игр его скорости достаточно: короткое чтение занимает
        { $latency }, а от обычных для такого компьютера { $volume } записи в день он не замедляется.
   *[no] Для настольного компьютера и игр его скорости достаточно: короткое чтение занимает
        { $latency }.
}
verdict-suits-database = Он подходит для базы данных: запись с гарантией сохранности занимает всего
    { $latency }.
verdict-suits-read-server = Он подходит для сервера, который в основном читает: при { $depth ->
        [one] { $depth } одновременном запросе
       *[many] { $depth } одновременных запросах
    } он выполняет { $reads } случайных чтений в секунду.

## Чего остерегаться

verdict-early-end = Он отказался принимать данные после { $written } записи — раньше, чем исчерпан
    заявленный ресурс { $rated }.
verdict-slow-commits = Для нагруженной базы данных он не годится: каждая запись с гарантией
    сохранности занимает { $latency }.
verdict-mix = { $pattern ->
    [random] Стоит избегать одновременных чтения и записи: случайный доступ, в котором { $percent } %
        чтения, замедляется до { $slowest }, хотя по отдельности чтение даёт { $reads }, а запись
        { $writes }.
   *[sequential] Стоит избегать одновременных чтения и записи: последовательный доступ, в котором
        { $percent } % чтения, замедляется до { $slowest }, хотя по отдельности чтение даёт { $reads },
        а запись { $writes }.
}
verdict-deletion = Пока удаляются { $file } данных, чтение может занять { $slowest }.

## Чего заключению недостаёт

verdict-no-test = Не завершён ни один тест: судить не о чем.
verdict-scaled = К этому заключению следует относиться с осторожностью: длительность каждого измерения
    умножена на { $scale }, и эффекты, для которых нужна полная длительность, проявляются иначе или не
    проявляются вовсе.
verdict-slow-link = { $drive } работал по интерфейсу, который медленнее поддерживаемого накопителем
    ({ $link }): результаты могут определяться интерфейсом.
verdict-unfinished = Завершены не все тесты: заключение сделано по завершённым.
verdict-unfinished-failed = Завершены не все тесты (не удались: { $failed }): заключение сделано по
    завершённым.
verdict-unlike = Измерены иным способом (см. условия), поэтому сравнивать следует с осторожностью:
    { $drives }.

## Сильные и слабые стороны в нескольких словах

point-sequential = Последовательный доступ
point-sequential-write = Последовательная запись
point-response = Короткое чтение
point-lasting = Длительная случайная запись
point-rest = После простоя
point-rest-nothing = скорость не возвращается
point-rest-whole = снова как новый
point-commits = Запись с гарантией сохранности
point-deep-reads = Много случайных чтений сразу
point-early-end = Изношен после
point-mix-sequential = Последовательные чтение и запись вместе
point-mix-random = Случайные чтение и запись вместе
point-deletion = Самое долгое чтение при удалении
