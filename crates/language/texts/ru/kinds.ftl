# Выводы по тестам каждого вида: предложения, строки терминала, названия ключевых показателей.

## Кривые

curve-line = { $name }: { $samples ->
    [one] { $samples } отсчёт
    [few] { $samples } отсчёта
   *[many] { $samples } отсчётов
}, записано { $gb } ГБ
curve-stretches = { $op ->
    [read] Накопитель читает { $stretches }.
    [write] Накопитель пишет { $stretches }.
   *[mixed] Накопитель работает { $stretches }.
}
curve-stretch = { $how } { $until }
curve-at = на скорости { $speed }
curve-falling = { $nth ->
    [1] с падением скорости от { $from } до { $to }
   *[other] затем с падением скорости от { $from } до { $to }
}
curve-rising = { $nth ->
    [1] с ростом скорости от { $from } до { $to }
   *[other] затем с ростом скорости от { $from } до { $to }
}
curve-until-whole = от начала до конца
curve-until-end = до самого конца
curve-until-time = в течение { $time }
curve-until-first = до записи { $bytes } ({ $time })
curve-until-bytes = до { $bytes } ({ $time })
private-stretches = { $count ->
    [one] { $count } участок
    [few] { $count } участка
   *[many] { $count } участков
}
curve-by-length = Скорость проходит { private-stretches }: { $stretches }.
curve-stretch-level = { $time } на { $speed }
curve-stretch-slope = { $time } от { $from } до { $to }
curve-stretches-others = ещё { $count }
curve-stalls = Накопитель не отвечает в сумме { $total }, дольше всего { $longest } подряд; самый
    медленный запрос ждёт { $slowest }.
curve-stalls-seconds = Накопитель не отвечает в сумме { $total }, дольше всего { $longest } подряд.
curve-stalls-request = Самый медленный запрос ждёт { $slowest }.
private-curve-ends = в начале { $start }, в конце { $end } ({ $share } от начальной)
private-capacities = { $count ->
    [one] { $number } ёмкость
    [few] { $number } ёмкости
    [many] { $number } ёмкостей
   *[other] { $number } ёмкости
}
curve-holds = Скорость держится: { private-curve-ends }.
curve-holds-after = Скорость держится: { private-curve-ends }, а записано { private-capacities }
    накопителя.
curve-ends = Скорость { private-curve-ends }.
curve-ends-after = Скорость { private-curve-ends }, а записано { private-capacities }
    накопителя.
curve-few-samples = { $op ->
    [read] Накопитель читает в среднем на скорости { $mean }
    [write] Накопитель пишет в среднем на скорости { $mean }
   *[mixed] Накопитель работает в среднем на скорости { $mean }
}; чтобы судить о большем, отсчётов слишком мало: { $count }.
private-curve-scatter = { $scatter ->
    [hardly] От отсчёта к отсчёту скорость почти не колеблется: на
    [little] От отсчёта к отсчёту скорость слегка колеблется: на
    [some] От отсчёта к отсчёту скорость заметно колеблется: на
    [wide] От отсчёта к отсчёту скорость сильно скачет: на
   *[stalls] На
}
curve-even = На самом длинном участке девять десятых отсчётов одинаковы.
curve-evenness = { private-curve-scatter } самом длинном участке девять десятых отсчётов лежат между
    { $low } и { $high }.
curve-evenness-slope = { private-curve-scatter } самом длинном участке девять десятых отсчётов лежат
    между { $low } и { $high } от скользящего среднего.
curve-never-falls = { $name } скорость начинается с { $start } и не падает, пока записывается
    { $bytes }.
curve-writes-fast = { $name } скорость начинается с { $start }, до её падения записывается { $bytes }.
curve-starts = { $name } скорость начинается с { $start }.
curve-back-nothing = { $name } ничего не восстанавливается: запись продолжается со скоростью { $start }, на
    которой остановилась.
private-bytes-until = { $fell ->
    [yes] { $bytes } до падения скорости
   *[no] { $bytes } без падения скорости
}
curve-back-whole = { $name } накопитель снова как новый: скорость начинается с { $start }, записывается
    { private-bytes-until }.
curve-back-volume = { $more ->
    [yes] { $name } записывается даже больше ({ private-bytes-until }), но скорость начинается с
        { $start } — { $share } скорости в свежем состоянии.
   *[no] { $name } записывается столько же ({ private-bytes-until }), но скорость начинается с
        { $start } — { $share } скорости в свежем состоянии.
}
curve-back-speed = { $name } начальная скорость прежняя ({ $start }), но падает она уже после { $bytes } —
    { $volume } объёма в свежем состоянии.
curve-back-neither = { $name } скорость начинается с { $start } ({ $share } скорости в свежем состоянии) и
    падает после { $bytes } ({ $volume } объёма в свежем состоянии).
figure-start = Начало
figure-end = Конец
figure-mean = Среднее
figure-start-of = { $name }: начальная скорость
figure-fast-writes = { $name }: объём быстрой записи

## Точки

points-line = { $op } { $kib } КиБ, глубина { $depth } × { $threads }, { $share } % чтения: { $iops } IOPS
    { $mb_per_s } МБ/с, p99 { $us } мкс
points-read-write = Скорость чтения — { $read }, записи — { $write }, то есть { $share } скорости чтения.
points-read = Скорость чтения — { $read }.
points-write = Скорость записи — { $write }.
points-load = { $load }: { $speed }.
points-depths-both = При увеличении глубины очереди с { $low } до { $high } чтение { $reads },
    запись { $writes }.
points-depths-reads = При увеличении глубины очереди с { $low } до { $high } чтение { $reads }.
points-depths-writes = При увеличении глубины очереди с { $low } до { $high } запись { $writes }.
points-depths-change = { $change ->
    [grow] ускоряется { $fold }
    [fall] замедляется до { $share }
   *[level] почти не ускоряется
}
points-at-depth = { $figure } при глубине очереди { $depth }
points-reads-reach = Чтение достигает { $reads }.
points-writes-reach = Запись достигает { $writes }.
points-both-reach = Чтение достигает { $reads }, запись — { $writes }.
points-latency-same = столько же
points-latency-both = При глубине очереди { $depth } чтение занимает в среднем { $read }
    ({ $percentile } — { $read_slow }), запись — { $write } ({ $write_slow }).
points-latency-read = При глубине очереди { $depth } чтение занимает в среднем { $read } ({ $percentile } —
    { $read_slow }).
points-latency-write = При глубине очереди { $depth } запись занимает в среднем { $write }
    ({ $percentile } — { $write_slow }).
private-speed-of = { $op ->
    [read] Скорость чтения
    [write] Скорость записи
   *[mixed] Скорость смешанной нагрузки
}
private-steps = { $dimension ->
    [depth] при увеличении глубины очереди с { $from } до { $to }
   *[threads] при увеличении числа потоков с { $from } до { $to }
}
points-steps-same = { private-speed-of } не меняется { private-steps } ({ $last }).
points-steps-level = { private-speed-of } почти не меняется { private-steps } (от { $first } до
    { $last }).
points-steps-fall = { private-speed-of } падает до { $share } { private-steps } (от { $first } до
    { $last }).
points-steps-grow = { private-speed-of } растёт { $fold } { private-steps } (от { $first } до { $last });
    прирост не прекращается до последнего шага.
points-steps-grow-until = { private-speed-of } растёт { $fold } { private-steps } (от { $first } до
    { $last }); { $dimension ->
        [depth] после глубины { $enough }
       *[threads] после { $enough ->
            [one] { $enough } потока
           *[many] { $enough } потоков
        }
    } прироста почти нет.
private-op-of = { $op ->
    [read] Чтение
   *[write] Запись
}
points-block-same = { private-op-of } { $small } обходится так же дорого, как { $page } ({ $small_iops }
    против { $page_iops }).
points-block-more = { private-op-of } { $small } обходится в { $times } дороже, чем { $page }
    ({ $small_iops } против { $page_iops }).
points-block-less = { private-op-of } { $small } обходится в { $share } стоимости { $page }
    ({ $small_iops } против { $page_iops }).
points-with-block = Блоками по { $block } накопитель читает на скорости { $read } и пишет на скорости
    { $write }.
points-with-block-reads = Блоками по { $block } накопитель читает на скорости { $speed }.
points-with-block-writes = Блоками по { $block } накопитель пишет на скорости { $speed }.
points-usual-mix = При { $share } % чтения скорость составляет { $speed }.
points-mixing-costs = Смешивание обходится дорого: { $slow } при { $share } % чтения против { $reads } при
    одном только чтении и { $writes } при одной только записи.
points-no-mix-behind = Ни одна смесь не медленнее обеих чистых нагрузок: { $reads } при одном только
    чтении и { $writes } при одной только записи.
points-slowest-mix = Медленнее всего при { $share } % чтения: { $slow }.
figure-at-share = При { $share } % чтения
figure-mean-share = Среднее по всем долям
figure-fastest = Быстрее всего: { $load }
figure-op-value = { $op ->
    [read] Чтение, { $value }
    [write] Запись, { $value }
   *[mixed] Смешанная нагрузка, { $value }
}

## Тестовые программы

benchmark-line = { $row } { $op } { $mb_per_s } МБ/с, средняя задержка { $us } мкс
benchmark-one = { $op ->
    [read] чтение — { $slow } ({ $slow_row })
    [write] запись — { $slow } ({ $slow_row })
   *[mixed] смешанная нагрузка — { $slow } ({ $slow_row })
}
benchmark-range = { $op ->
    [read] чтение — от { $slow } ({ $slow_row }) до { $fast } ({ $fast_row })
    [write] запись — от { $slow } ({ $slow_row }) до { $fast } ({ $fast_row })
   *[mixed] смешанная нагрузка — от { $slow } ({ $slow_row }) до { $fast } ({ $fast_row })
}
benchmark-apart = Приведён самый быстрый из проходов: самый медленный отстаёт от него не более чем на
    { $share } ({ $row }, { load-op }).
benchmark-level = Приведён самый быстрый из проходов; все проходы наравне.

## Работа с файлами

files-scaled-set = { $set } (уменьшено до { $mib } МиБ)
private-files = { $count ->
    [one] { $files } файл
    [few] { $files } файла
   *[many] { $files } файлов
}
files-line = { $set }: { $mb_per_s } МБ/с (файлов: { $files }, { $gb } ГБ за { $seconds } с)
files-speed = { $set }: { $speed } ({ private-files })
files-all-level = Все наборы обрабатываются одинаково быстро, примерно со скоростью { $speed }.
files-ends = Быстрее всего — { $fastest }, медленнее всего — { $slowest }.

## Лестница восстановления

ladder-nothing = { $trim ->
    [yes] После TRIM отдых до { $time } не восстанавливает ничего.
   *[no] Без TRIM отдых до { $time } не восстанавливает ничего.
}
ladder-one = { $trim ->
    [yes] Восстановление быстрой записи после TRIM: за { $short } отдыха — { $first }.
   *[no] Восстановление быстрой записи без TRIM: за { $short } отдыха — { $first }.
}
ladder-two = { $trim ->
    [yes] Восстановление быстрой записи после TRIM: за { $short } отдыха — { $first }, за { $long } —
        { $last }.
   *[no] Восстановление быстрой записи без TRIM: за { $short } отдыха — { $first }, за { $long } —
        { $last }.
}
ladder-back-nothing = ничего
ladder-back = { $bytes }
ladder-back-least = не менее { $bytes }

## Раунды

private-rounds = { $count ->
    [one] { $count } раунд
    [few] { $count } раунда
   *[many] { $count } раундов
}
private-of-rounds = { $count ->
    [one] { $count } раунда
   *[many] { $count } раундов
}
rounds-line = { $rounds ->
    [one] { $rounds } раунд
    [few] { $rounds } раунда
   *[many] { $rounds } раундов
}, нагрузок в каждом: { $loads }, записано { $gb } ГБ
rounds-too-few = Раундов слишком мало, чтобы судить об установившемся состоянии: { $count }.
rounds-latency = средняя задержка { $latency }
rounds-tracked = { $op ->
    [mixed] { $pattern ->
        [random] случайный доступ блоками { $block }, { $share } % чтения — { $figure }
       *[sequential] последовательный доступ блоками { $block }, { $share } % чтения — { $figure }
    }
   *[other] { load-pattern-op } блоками { $block } — { $figure }
}
rounds-reached = Установившееся состояние достигнуто за { private-rounds }: { $tracked } (раунды { $from }–{ $to };
    разброс { $spread }, дрейф { $drift }).
rounds-not-reached = Установившееся состояние за { private-rounds } не достигнуто; в последних — { $tracked }
    (разброс { $spread }, дрейф { $drift }).
rounds-steady = После { private-of-rounds }: { $tracked }; состояние установившееся (разброс { $spread },
    дрейф { $drift }).
rounds-not-steady = После { private-of-rounds }: { $tracked }; состояние не установилось (разброс
    { $spread }, дрейф { $drift }).
figure-tracked-steady = Отслеживаемая нагрузка, установившееся состояние
figure-tracked-last = Отслеживаемая нагрузка, последние раунды, состояние не установилось

## Чтение при удалении файла

response-line = { $name }: { $iops } IOPS до удаления, самое долгое чтение после него { $ms } мс
response-as-before = При удалении { $deleted } { $name } чтение продолжается как прежде ({ $lowest } IOPS в
    самую медленную секунду при { $speed } до удаления); самое долгое чтение занимает { $worst } против
    { $before } до удаления.
response-back = При удалении { $deleted } { $name } скорость чтения падает с { $speed } до { $lowest } IOPS в
    самую медленную секунду и возвращается к норме через { $time }; самое долгое чтение занимает
    { $worst } против { $before } до удаления.
response-not-back = При удалении { $deleted } { $name } скорость чтения падает с { $speed } до { $lowest }
    IOPS в самую медленную секунду и за время измерения к норме не возвращается; самое долгое чтение
    занимает { $worst } против { $before } до удаления.
figure-slowest-second = { $name }: самая медленная секунда

## Трассы

traces-beginning = первые { $share }
traces-line = { $name } { $mb } МБ за { $seconds } с занятости: { $mb_per_s } МБ/с, { $iops } IOPS
traces-line-beginning = { $name } { $mb } МБ за { $seconds } с занятости: { $mb_per_s } МБ/с, { $iops } IOPS
    ({ $first })
traces-line-all = все: { $mb_per_s } МБ/с
traces-line-synthesised = синтезированные трассы настольных программ, не результат PCMark
traces-one = { $speed } за время занятости: { $bytes } за { $time }.
traces-all = { $speed } за время занятости по всем { $count } трассам; быстрее всего — { $fastest },
    медленнее всего — { $slowest }.
traces-named = { $name } ({ $speed })
traces-synthesised = Трассы настольных программ синтезированы, это не результат PCMark.
traces-beginnings = Воспроизведены только начала трасс; результаты относятся к ним.
traces-moved = Тестируемый объём для них мал: { $share } запросов перенесены, чтобы поместиться.
figure-over-busy-time = За время занятости
figure-all-traces = Все трассы
