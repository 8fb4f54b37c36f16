# Выводы о записи с фиксацией и о ресурсе, здоровье накопителя, расхождения, установившиеся состояния.

## Запись с фиксацией данных

sync-durability = { $sync ->
    [none] без фиксации
    [dsync] O_DSYNC
    [fsync] fsync
   *[fdatasync] fdatasync
}
sync-durability-every = { $every ->
    [1] { sync-durability } после каждой записи
   *[other] { sync-durability } через каждые { $every ->
        [one] { $every } запись
        [few] { $every } записи
       *[many] { $every } записей
    }
}
private-some-threads = { $threads ->
    [one] { $threads } поток
    [few] { $threads } потока
   *[many] { $threads } потоков
}
sync-stream = { $threads ->
    [1] { private-pattern-op-share }, { $block }, { $durability }
   *[other] { private-pattern-op-share }, { $block }, { private-some-threads }, { $durability }
}
sync-beside-words = { $stream }; одновременно { $other }
sync-line = { $stream }: записей в секунду — { $writes }
sync-line-beside = одновременно { $stream }: записей в секунду — { $writes }
sync-line-flushes = сбросов в секунду — { $flushes }
sync-line-latency = { $of ->
    [read] чтение: среднее { $mean }, 99,9 % { $tail }, макс. { $max } мкс
    [write] запись: среднее { $mean }, 99,9 % { $tail }, макс. { $max } мкс
   *[flush] сброс: среднее { $mean }, 99,9 % { $tail }, макс. { $max } мкс
}
sync-commits = { $stream }: { $mixed ->
    [yes] чтений в секунду — { $reads }, фиксаций — { $commits }
   *[no] фиксаций в секунду — { $commits }
}; в среднем { $mean }, { $tail ->
    [yes] { $percent } % укладываются в { $within }, самая долгая занимает { $slowest }
   *[no] самая долгая занимает { $slowest }
}.
sync-commits-of-size = { $commits } блоками { $size }
sync-sizes = Фиксаций в секунду: { $sizes }.
private-many-threads = { $many ->
    [one] { $many } поток выполняет
    [few] { $many } потока выполняют
   *[many] { $many } потоков выполняют
}
private-than-threads = { $few ->
    [1] один
   *[other] { $few }
}
sync-threads-gain = { private-many-threads } фиксации в { $times } чаще, чем { private-than-threads }
    ({ $many_commits } и { $few_commits } в секунду).
sync-threads-level = { private-many-threads } фиксации так же часто, как { private-than-threads }
    ({ $many_commits } и { $few_commits } в секунду): прироста нет.
sync-threads-lose = { private-many-threads } фиксации с частотой { $share } от той, с какой —
    { private-than-threads } ({ $many_commits } и { $few_commits } в секунду).
sync-intervals = При { sync-durability } через каждые { $to ->
        [one] { $to } запись
        [few] { $to } записи
       *[many] { $to } записей
    } надёжно сохраняется в { $times } больше записей, чем { $from ->
        [1] после каждой
       *[other] через каждые { $from }
    } ({ $rare } и { $often } записей в секунду).
sync-beside = При одновременной нагрузке ({ $other }, { $other_writes } в секунду) сохраняется { $share }
    фиксаций ({ $beside } из { $alone } в секунду).
sync-beside-tails = При одновременной нагрузке ({ $other }, { $other_writes } в секунду) сохраняется
    { $share } фиксаций ({ $beside } из { $alone } в секунду), и { $percent } % из них укладываются в { $slow },
    а не в { $fast }.
private-requests-of = { $of ->
    [reads] чтений
    [writes] записей
   *[commits] фиксаций
}
sync-tail-within = 99,9 % { private-requests-of } укладываются в { $least }–{ $most }, самый долгий запрос
    занял { $slowest }
sync-tail-slowest = самый долгий запрос ({ $of ->
    [reads] чтение
    [writes] запись
   *[commits] фиксация
}) занял { $slowest }
private-intervals = { $count ->
    [one] { $count } интервал
    [few] { $count } интервала
   *[many] { $count } интервалов
}
sync-over-time = { $beside ->
    [yes] При одновременной нагрузке, во времени ({ private-intervals } по { $time }): { $tails }.
   *[no] Во времени ({ private-intervals } по { $time }): { $tails }.
}
sync-cost-same = С O_DSYNC запись занимает столько же времени, сколько без фиксации ({ $dsync } и
    { $plain })
sync-cost = С O_DSYNC запись занимает в { $times } больше времени, чем без фиксации ({ $dsync } и
    { $plain })
sync-cost-alone = { $cost }.
sync-protected = { $cost }: накопитель ведёт себя как защищённый от потери питания либо игнорирует
    требование, что выявит только отключение питания.
sync-unprotected = { $cost }: накопитель ведёт себя как не защищённый от потери питания — надёжная
    запись ждёт флеш-память.

## Ресурс

private-end = { $end ->
    [refused] накопитель отказался от записи
    [budget] накопитель НЕ изношен в пределах лимита записи
   *[unfinished] до конца ещё далеко
}
private-after-rounds = { $rounds ->
    [one] { $rounds } раунд
    [few] { $rounds } раунда
   *[many] { $rounds } раундов
}
endurance-line = { private-end }: { $written } за { private-after-rounds }
endurance-line-rated = { private-end }: { $written } за { private-after-rounds }, { $rated_number } заявленного ресурса { $rated }
private-years = { $years ->
    [one] { $years } год
    [few] { $years } года
   *[many] { $years } лет
}
endurance-warranty = При гарантии { private-years } это { $dwpd } полной перезаписи в день (DWPD).
endurance-warranty-rated = При гарантии { private-years } это { $dwpd } полной перезаписи в день (DWPD) при
    заявленных { $rating }.
private-much = { $count ->
    [one] { $number } ёмкость накопителя
    [few] { $number } ёмкости накопителя
    [many] { $number } ёмкостей накопителя
   *[other] { $number } ёмкости накопителя
}
endurance-much = { $written } ({ private-much })
endurance-much-rated = { $written } ({ private-much }, { $rated_number } заявленного ресурса { $rated })
endurance-end = { $end ->
    [refused] Накопитель отказывается от записи, когда записано { $much }.
    [budget] В пределах лимита записи накопитель не изношен: записано { $much }, и запись идёт как прежде.
   *[unfinished] Испытание ещё не закончено, записано { $much }.
}
endurance-speed = Скорость первого раунда — { $first }, последнего полного — { $last }, самого
    медленного — { $slowest }.
endurance-latency = 99,9 % записей занимают не более { $first } в первом раунде и { $last } в последнем
    полном; самая долгая из всех — { $slowest }.
endurance-used = израсходовано { $used } % заявленного ресурса
endurance-spare = осталось { $spare } % резервных блоков
endurance-erased = среднее число стираний блока — { $mean }
endurance-erased-most = среднее число стираний блока — { $mean }, наибольшее — { $most }
endurance-retired = { $count ->
    [one] выведен из работы { $retired } блок
    [few] выведено из работы { $retired } блока
   *[many] выведено из работы { $retired } блоков
}
endurance-health = По собственным данным накопителя, { $clauses }
endurance-life-over = ; заявленный ресурс исчерпан после { $bytes }
endurance-spare-low = ; запас резервных блоков упал ниже порога после { $bytes }
endurance-left-share = по израсходованной доле — { $left }
endurance-left-rating = по заявленному объёму записи — { $left }
endurance-left = От заявленного ресурса осталось: { $left }.
endurance-rate = при темпе записи, который был до теста, —
endurance-amplification = Коэффициент усиления записи — { $least }.
endurance-amplification-range = Коэффициент усиления записи — от { $least } до { $most } по раундам.
endurance-read-retries = { $count ->
    [one] { $number } повторное чтение
    [few] { $number } повторных чтения
   *[many] { $number } повторных чтений
}
endurance-rebuilt = { $count ->
    [one] { $number } страница восстановлена по чётности
    [few] { $number } страницы восстановлены по чётности
   *[many] { $number } страниц восстановлены по чётности
}
endurance-lost = { $count ->
    [one] { $number } потеря данных
    [few] { $number } потери данных
   *[many] { $number } потерь данных
}
endurance-reading = При чтении всего объёма: { $what }.
endurance-all-readable = все данные читаются
endurance-some-readable = читается { $read } из { $asked }, { $failed ->
    [one] { $failed } чтение завершилось ошибкой
    [few] { $failed } чтения завершились ошибкой
   *[many] { $failed } чтений завершились ошибкой
}
endurance-afterwards = { $write ->
    [refused] После этого ещё одна запись тоже отвергнута; { $reads }.
    [taken] После этого накопитель снова принял запись; { $reads }.
   *[untried] После этого { $reads }.
}
figure-written-until = Записано до отказа

## Остаток ресурса

left-at-least = не менее { $least }
left-about-least = { $about } (не менее { $least })
left-about-range = { $about } (от { $least } до { $most })
left-years = { $rate } лет работы: { $years }
left-nothing = ничего

## Данные SMART

smart-complaint-failing = накопитель сообщает о скором отказе
smart-complaint-threshold = атрибуты достигли порога отказа
smart-complaint-past = атрибуты достигали порога в прошлом
smart-complaint-errors = в журнале ошибок есть записи об ошибках
smart-complaint-self-test = в журнале самодиагностики есть ошибки
smart-warning-spare = резервных блоков меньше порога
smart-warning-temperature = температура вышла за порог
smart-warning-reliability = надёжность снижена из-за ошибок
smart-warning-read-only = только чтение
smart-warning-backup = отказала резервная защита оперативной памяти
smart-warning-memory = постоянная память доступна только для чтения
smart-host-written = Записано хостами
smart-flash-written = Записано во флеш-память
smart-temperature = Температура, °C
smart-fell = уменьшилось
smart-used = Израсходовано ресурса, %
smart-used-up = заявленный ресурс исчерпан
smart-spare = Осталось резервных блоков, %
smart-spare-low = ниже порога накопителя ({ $least } %)
smart-cycles = Циклы стирания, среднее
smart-retired = Выведено из работы блоков
smart-retired-alarm = во время тестов из работы выведены блоки
smart-unreadable = Случаи, когда данные не удалось прочитать
smart-unreadable-alarm = во время тестов не удалось прочитать данные
smart-crc = Ошибки интерфейса (CRC)
smart-crc-alarm = во время тестов были ошибки интерфейса: проверьте кабель и разъём
smart-log-entries = Записи в журнале ошибок
smart-warning-minutes = Минуты при температуре предупреждения
smart-warning-minutes-alarm = во время тестов накопитель нагрелся до температуры предупреждения
smart-critical-minutes = Минуты при критической температуре
smart-critical-minutes-alarm = во время тестов накопитель нагрелся до критической температуры
smart-passed = исправен
smart-failed = ОТКАЗ
smart-verdict = Собственная оценка накопителя
smart-verdict-alarm = накопитель сам считает себя отказывающим
smart-critical-warnings = Критические предупреждения
smart-complaints = Замечания smartctl
smart-none = нет
smart-attribute-low = на пороге { $threshold } или ниже его
smart-alarm = { $what }: { $alarm }.
smart-alarm-mark = ТРЕВОГА
smart-caption = Данные SMART накопителя до первого теста и после последнего
smart-head-figure = Показатель
smart-head-before = До
smart-head-after = После
smart-head-change = Изменение

## Одна нагрузка — разные результаты

unlike-cause-state = тесты начинаются с разных состояний
unlike-cause-duration = длительность измерений различалась
unlike-cause-order = каждое измерение застало накопитель таким, каким его оставили предыдущие
unlike-cause-host = при работе с файлом вместо накопителя могли ответить кэш системы и файловая система
unlike-figure = { $speed } IOPS в тесте «{ $test }»
unlike-nothing = известных различий нет
unlike-load = { $load }: { $figures } ({ $why }).

## Установившиеся состояния

private-steady-rounds = { $rounds ->
    [one] { $rounds } раунд
    [few] { $rounds } раунда
   *[many] { $rounds } раундов
}
private-steady-load = { $pattern ->
    [random] случайной записи
   *[sequential] последовательной записи
}
private-steady-figures = на уровне { $iops } IOPS: за последние { $window } раундов разница наибольшего и
    наименьшего составляет { $spread } % от среднего (допустимо { $spread_max } %), наклон линии —
    { $drift } % (допустимо { $drift_max } %)

## Повторения

repeated-same = одинаково во всех { $count ->
        [one] { $count } повторении
       *[many] { $count } повторениях
    }: и при других начальных числах здесь ничто не зависит от случая, и 95-процентный интервал имеет
    нулевую ширину
repeated-means = средние { $count ->
        [one] { $count } повторения
       *[many] { $count } повторений
    }, 95-процентные интервалы: { $figures }
