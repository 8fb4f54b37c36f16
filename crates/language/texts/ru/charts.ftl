# Графики и таблицы: заголовки, оси, легенды, шапки, примечания.

## Общее для всех графиков

chart-label-lines = Линейный график: { $title }. Показано: { $names }. Числа приведены в таблицах под
    графиком.
chart-label-dots = График отсчётов (точки) и их средних (линии): { $title }. Показано: { $names }. Числа
    приведены в таблицах под графиком.
chart-failed = Этот график не удалось построить ({ $error }). Числа приведены в таблицах.
chart-save = Сохранить как изображение (PNG)
chart-one-sample = { $name }, один отсчёт
chart-mean = { $name }, среднее
chart-zoom = Масштаб
chart-pan = Перемещение
chart-zoom-in = Приблизить
chart-zoom-out = Отдалить
chart-reset = Исходные оси
axis-temperature = Температура, °C
axis-iops = IOPS
axis-mb-per-s = МБ/с (МБ = 10⁶ байт)
axis-time-s = Время, с
axis-time-min = Время, мин
axis-time-h = Время, ч
axis-time = Время
axis-rest = Отдых
axis-round = Раунд
axis-gb = ГБ (10⁹ байт)
axis-written = Записано, ГБ (ГБ = 10⁹ байт)
axis-written-log = Записано, ГБ (ГБ = 10⁹ байт, логарифмическая ось)
axis-position = Место от начала, ГБ (ГБ = 10⁹ байт)
axis-written-tb = Записано, ТБ (10¹² байт)
axis-latency = Задержка (логарифмическая ось)
axis-latency-in = Задержка, { $unit }
axis-mean-latency-in = Средняя задержка, { $unit }
axis-requests-faster = Доля запросов
axis-share-faster = Доля более быстрых запросов
axis-reads-writes = Чтение : запись, % запросов

## Слова в легендах и шапках

word-mean = среднее
word-max = максимум
word-median = медиана
word-slowest = самый долгий
word-all = всего
word-reads = чтение
word-writes = запись
word-flushes = сброс
head-load = Нагрузка
head-curve = Кривая
head-requests = Запросы
head-response = Вариант
head-figure = Показатель
head-cpu = Время процессора
head-cpu-note = на запрос, потоки fio
head-read = Прочитано
head-written = Записано
head-time = Время
head-speed = Скорость
head-mean = Среднее
head-start = Начало
head-end = Конец

## Ключевые показатели

table-caption-best = { $caption }; жирным — лучший из накопителей
key-caption = Везде больше — лучше. МБ и ГБ десятичные
key-caption-rivals = Рядом с результатом конкурента — насколько отличается
    результат тестируемого накопителя. Везде больше — лучше. МБ и ГБ десятичные

## Задержка

latency-caption-percentile = Перцентили задержки, меньше — лучше: { $drive }
latency-caption-rivals = Перцентили задержки, меньше — лучше: конкуренты
latency-caption-curve = Задержка за всё время кривой, меньше — лучше
latency-caption-sync = Перцентили задержки, меньше — лучше: { $drive }
latency-title = Задержка: { $load }
latency-title-depth = { $op ->
    [read] Задержка чтения в зависимости от глубины очереди: { $drive }
    [write] Задержка записи в зависимости от глубины очереди: { $drive }
   *[mixed] Задержка смешанной нагрузки в зависимости от глубины очереди: { $drive }
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
private-of-load-of-block = { private-of-load } блоками { $block }
latency-title-curve = Задержка { private-of-load-of-block } за всё время кривой
latency-title-time = Задержка { private-of-load-of-block } во времени
latency-note-windows = По { $window }: середина медиан и 99-х перцентилей за каждый интервал ({ $interval }), а также
    самый долгий запрос из всех.

## Точки

points-caption-iops = Запросов в секунду (IOPS); мельче — МБ/с, МБ = 10⁶ байт
points-caption-bandwidth = МБ/с, МБ = 10⁶ байт; мельче — запросов в секунду (IOPS)
private-blocks = { $block ->
    [none] {""}
   *[other] {" "}блоками { $block }
}
points-title = { $pattern ->
    [random] Случайный доступ{ private-blocks }: { $ops }
    [sequential] Последовательный доступ{ private-blocks }: { $ops }
   *[any] Доступ{ private-blocks }: { $ops }
}
points-title-against = { points-title }{ $constant } — зависимость от { $dimension ->
    [block] размера блока
    [depth] глубины очереди
    [share] доли чтения
    [the-share] доли чтения
   *[threads] числа потоков
}
points-constant-depth = , глубина очереди { $depth }
points-constant-threads = , { $threads ->
    [one] { $threads } поток
    [few] { $threads } потока
   *[many] { $threads } потоков
}
points-reads-of = чтение, { $drive }
points-writes-of = запись, { $drive }
points-share-note = Толстые линии — все запросы. Тонкие линии — чтение и запись среди них у тестируемого
    накопителя.
points-share-head = Чтение : запись, %
points-part = { $op ->
    [read] ↳ чтение при { $share } % чтения
   *[write] ↳ запись при { $share } % чтения
}

## Кривые

curve-title = { load-pattern-op } блоками { $block }, глубина очереди { $depth }: { $view ->
    [time] скорость во времени
    [written] скорость по мере записи
    [position] скорость по месту на накопителе
   *[written-log] скорость по мере записи, логарифмическая шкала
}
curve-note-log = То же, с растянутым началом: там, где точки показывают больше, чем средние.
curve-note-lines = Линии — среднее за { $window }.
curve-note-steps = Вертикальный пунктир — найденные ступени, см. «Найденные уровни».
curve-note-dots = Точки — все отсчёты, каждый — среднее за { $interval }.
curve-note-dots-reviewed = Точки — все отсчёты тестируемого накопителя, каждый — среднее за { $interval }.
curve-note-axes = Оси те же, что на графиках тестируемого накопителя.
curve-temperature = { $name }: температура
curve-start-note = медиана { $samples ->
    [one] { $samples } отсчёта
   *[many] { $samples } отсчётов
}
curve-end-note = среднее за последние { $time }
curve-spread = Разброс
curve-spread-note = 90{"\u00A0"}% отсчётов за последние { $time }
curve-spread-to = до { $speed }
curve-lowest = Наименьшее
curve-highest = Наибольшее
curve-window-note = среднее за { $window }
curve-samples = Отсчёты
curve-no-sample = нет отсчётов
curve-fast-writes = Быстрая запись
curve-fast-note = до √(начало × конец кривой «{ $name }»)
curve-fast-nothing = ничего не восстановлено
curve-fast-down-to = до падения ниже { $speed }
curve-fast-never-below = ниже { $speed } не падает
curve-caption = Кривые в числах; ГБ = 10⁹ байт, МБ = 10⁶ байт
curve-levels-caption = Найденные уровни: участки с одной скоростью либо с равномерным падением или ростом,
    по времени
curve-levels-caption-written = Найденные уровни: участки с одной скоростью либо с равномерным падением
    или ростом, по объёму записи и времени
curve-level = Уровень
curve-from = От
curve-to = До
curve-scatter = Колебания
curve-scatter-note = половина средних 68{"\u00A0"}%
curve-level-falling = { $number }, падение
curve-level-rising = { $number }, рост
curve-range = от { $from } до { $to }
curve-scatter-little = меньше{"\u00A0"}±{"\u00A0"}0,1{"\u00A0"}%
curve-until = До
curve-written-by-then = записано к этому времени
curve-means-caption = Все средние за { $window } (отдельные отсчёты — в review.json)

## Лестница восстановления

ladder-restored-title = Объём быстрой записи, восстановленный за время отдыха
ladder-speed-title = Скорость после отдыха, первые пять отсчётов
ladder-with-trim = { $drive }, с TRIM
ladder-without-trim = { $drive }, без TRIM
ladder-yes = да
ladder-no = нет
ladder-not-fallen = не менее: скорость не упала
ladder-caption = Что восстановил каждый отдых; ГБ = 10⁹ байт: { $drive }
ladder-head-rest = Отдых
ladder-head-trim = TRIM перед ним
ladder-head-speed = Скорость после него
ladder-head-speed-note = первые пять отсчётов

## Работа с файлами

files-title = { $op ->
    [copy] Скорость копирования по наборам файлов
    [archive] Скорость архивации по наборам файлов
   *[unarchive] Скорость распаковки по наборам файлов
}
files-axis = МБ/с, МБ = 10⁶ байт: объём набора, делённый на время
files-requests = { $count ->
    [one] { $requests } запрос
    [few] { $requests } запроса
   *[many] { $requests } запросов
}
files-caption = Файлы и запросы к накопителю; ГБ = 10⁹ байт: { $drive }
files-head-set = Набор
files-head-size = Объём
files-head-files = Файлы
files-head-directories = Каталоги
files-head-time-note = до надёжного сохранения
files-head-flushes = Сбросы

## Запись с фиксацией данных

sync-axis = Записей в секунду; рядом — сколько раз в секунду данные надёжно сохраняются
sync-title = Записей в секунду в зависимости от способа фиксации
sync-not-synced = без фиксации
sync-commits-bar = фиксаций: { $commits }
sync-reads-bar = чтений: { $reads }
sync-commits-tail = { $drive }, фиксация, 99,9{"\u00A0"}%
sync-commits-slowest = { $drive }, фиксация, самая долгая
sync-reads-tail = { $drive }, чтение, 99,9{"\u00A0"}%
sync-reads-slowest = { $drive }, чтение, самое долгое
sync-time-title = Задержка во времени: { $load }
sync-beside-row = ↳ одновременно { $stream }

## Тестовые программы

benchmark-mix-head = Смесь, { $share } % чтения
benchmark-title = { $test }: самый быстрый проход
benchmark-note = Файл { $size }; самый быстрый из { $passes ->
        [one] { $passes } прохода
       *[many] { $passes } проходов
    } по { $time }.
benchmark-axis = МБ/с, МБ = 10⁶ байт
benchmark-speed-caption = МБ/с самого быстрого прохода, МБ = 10⁶ байт; ниже — запросов в секунду (IOPS)
benchmark-latency-caption = Наименьшая средняя задержка проходов, меньше — лучше
benchmark-head-row = Строка
benchmark-head-pass = Проход { $number }
benchmark-passes-caption = Все проходы в МБ/с, МБ = 10⁶ байт; ниже — средняя задержка: { $drive }

## Трассы

traces-note = Трассы настольных программ синтезированы: опубликованы самое большее их итоги (см. таблицу);
    это не результат PCMark.
traces-title = { $test }: объём за время занятости
traces-axis = МБ/с за время, в течение которого выполнялся хотя бы один запрос, МБ = 10⁶ байт; рядом —
    запросов в секунду (IOPS)
traces-origin-published = синтезирована, итоги опубликованы
traces-origin-assumed = синтезирована, итоги предположены
traces-origin-captured = записана
traces-timing-original = в исходном темпе
traces-timing-busy = без простоев
traces-timing-fast = без пауз, глубина { $depth }
traces-caption = Трассы в числах; МБ = 10⁶ байт: { $drive }
traces-head-trace = Трасса
traces-head-busy = Занятость
traces-head-busy-note = как воспроизводилась
traces-head-elapsed = Всего времени
traces-head-reads = Чтение
traces-head-writes = Запись
traces-head-latency-note = средняя задержка
traces-head-amplification = Усиление записи
traces-head-amplification-note = за время воспроизведения
traces-head-moved = Перенесено
traces-head-moved-note = запросов, чтобы поместиться
traces-limits-all = все
traces-limits-caption = Ограничения результатов: { $drive }
traces-limits-head = Ограничение
traces-limits-traces = Трассы

## Раунды

rounds-share = { $share ->
    [100] чтение
    [0] запись
   *[other] { $share }{"\u00A0"}% чтения
}
private-access = { $share ->
    [100] { $pattern ->
        [random] случайное чтение
       *[sequential] последовательное чтение
    }
    [0] { $pattern ->
        [random] случайная запись
       *[sequential] последовательная запись
    }
   *[other] { $pattern ->
        [random] случайный доступ, { $share }{"\u00A0"}% чтения,
       *[sequential] последовательный доступ, { $share }{"\u00A0"}% чтения,
    }
}
rounds-title = { private-access } блоками { $block }, глубина очереди { $depth }, по раундам
rounds-each = каждый раунд
rounds-window-mean = среднее окна
rounds-above = на 10{"\u00A0"}% выше него
rounds-below = на 10{"\u00A0"}% ниже него
rounds-line-fitted = линия наименьших квадратов
rounds-note = В каждом раунде нагрузка измеряется { $time }. Окно — { $window ->
        [one] { $window } раунд
        [few] { $window } раунда
       *[many] { $window } раундов
    }.
rounds-achieved = достигнуто
rounds-not-achieved = не достигнуто
rounds-unsought-met = не требовалось; последние раунды ему соответствуют
rounds-unsought-not-met = не требовалось; последние раунды ему не соответствуют
rounds-head-state = Установившееся состояние
rounds-head-rounds = Раундов
rounds-head-window = Окно
rounds-from-to = раунды { $from }–{ $to }
rounds-head-mean = Среднее окна
rounds-head-spread = Наибольшее минус наименьшее
rounds-head-drift = Наклон линии
rounds-at-most = от среднего; не более { $share }
rounds-caption = Установившееся состояние по определению SNIA: { $drive }
rounds-cell-slowest = самый долгий { $latency }
rounds-head-size = Размер
rounds-means-steady = Средние за раунды { $from }–{ $to }, установившееся состояние; МБ = 10⁶ байт: { $drive }
rounds-means-not-steady = Средние за раунды { $from }–{ $to }, состояние НЕ установилось; МБ = 10⁶ байт:
    { $drive }
rounds-every-caption = Отслеживаемая нагрузка в каждом раунде: { $drive }
rounds-head-round = Раунд
rounds-head-tracked = Отслеживаемый показатель
rounds-head-slowest = Самый долгий запрос

## Чтение при удалении файла

response-deletion = удаление
response-normal = норма { $name }
response-axis-time = Время от удаления, с
response-title = Случайное чтение блоками { $block }, глубина очереди { $depth }, при удалении { $deleted }:
    { $drive }
response-note = Линии — среднее за { $interval }. Вертикальный пунктир — удаление и момент, с которого чтение
    вернулось к норме.
response-dots-all = Точки — все запросы. Линии — медиана, 99{"\u00A0"}% и самый долгий запрос за каждый интервал
    ({ $interval }).
response-dots-some = Точки — самые долгие запросы, { $kept } из { $all }; линии охватывают все. Линии —
    медиана, 99{"\u00A0"}% и самый долгий запрос за каждый интервал
    ({ $interval }).
response-latency-title = Задержка при удалении, { $name }: { $drive }
response-slowest-requests = самые долгие запросы
response-before-row = { $name }: до удаления
response-after-row = ↳ с момента удаления
response-never = не за время измерения
response-at-once = сразу
response-commands = { $count ->
    [one] { $commands } команда по { $block }
    [few] { $commands } команды по { $block }
   *[many] { $commands } команд по { $block }
}
response-no-trim = нет
response-caption = Удаление в числах; ГБ = 10⁹ байт: { $drive }
response-head-before = До
response-head-before-note = среднее
response-head-slowest = Самая медленная секунда
response-head-slowest-note = после удаления
response-head-normal = Возврат к норме
response-head-normal-note = 90{"\u00A0"}% прежней скорости, на 10 с
response-head-read = Самое долгое чтение
response-head-trim-note = время всех команд
response-head-deleted = Удалено
response-head-region = Область чтения
response-head-region-note = от начала
response-intervals-caption = Все интервалы, по времени их конца, с: { $drive }
response-head-until = До, с
response-head-median = Медиана
response-head-slowest-request = Самый долгий

## Ресурс

endurance-mark-rated = заявленный ресурс, { $tb } ТБ
endurance-band = не моделировалось
endurance-note = { $pattern ->
    [random] Случайная запись блоками { $block }, глубина очереди { $depth }. За раунд записывается { $bytes }.
   *[sequential] Последовательная запись блоками { $block }, глубина очереди { $depth }. За раунд записывается
        { $bytes }.
}
endurance-note-repeated = Всего раундов — { $rounds }, из них { $repeated } не моделировались, а приняты
    такими же, как предыдущий (затенены на всех графиках); каждая точка — смоделированный раунд.
endurance-note-rated = Заявленный ресурс закончился бы на { $tb } ТБ, за пределами этих графиков.
endurance-speed-title = Скорость каждого раунда по мере записи
endurance-axis-speed = МБ/с
endurance-trace-speed = скорость
endurance-latency-title = Задержка в каждом раунде
endurance-trace-tail = 99,9 % записей
endurance-trace-slowest = самая долгая запись
endurance-amplification-title = Коэффициент усиления записи в каждом раунде
endurance-axis-amplification = Байт во флеш-памяти на байт от хоста
endurance-trace-amplification = усиление записи
endurance-life-title = Ресурс накопителя по его данным
endurance-axis-percent = Проценты
endurance-trace-used = израсходовано ресурса
endurance-trace-spare = осталось резервных блоков
endurance-trace-threshold = порог резервных блоков
endurance-cycles-title = Циклы стирания блоков
endurance-axis-cycles = Циклы стирания
endurance-unit-cycles = циклов
endurance-trace-most = наибольшее
endurance-trace-fewest = наименьшее
endurance-temperature-note = В раундах, которые не моделировались, время не идёт: накопитель нагревается в
    остальных.
endurance-temperature-title = Температура в конце каждого раунда
endurance-trace-temperature = температура
endurance-fails-note = Отказало программирование или стирание, известно только о смоделированных раундах.
endurance-fails-title = Отказавшие блоки за всё время работы накопителя
endurance-axis-fails = Блоки; программирования и стирания
endurance-trace-retired = блоки, выведенные из работы
endurance-trace-programs = неудачные программирования
endurance-trace-erases = неудачные стирания
endurance-errors-title = Ошибки флеш-памяти в каждом раунде
endurance-axis-errors = Раз за раунд
endurance-trace-retries = повторные чтения
endurance-trace-rebuilt = страницы, восстановленные по чётности
endurance-trace-unreadable = не удалось прочитать
endurance-refused = накопитель отказался от записи
endurance-budget-over = лимит записи израсходован; накопитель НЕ изношен
endurance-unfinished = ещё не закончено
endurance-head-capacity = От ёмкости
endurance-head-rated = От заявленного ресурса
endurance-rated-of = { $written } из { $rated }{"\u00A0"}ТБ
endurance-head-budget = Лимит записи
endurance-head-one-more = Ещё одна запись
endurance-one-more-refused = отвергнута
endurance-one-more-taken = принята
endurance-head-afterwards = Прочитано после этого
endurance-afterwards-note = из { $asked }, { $count ->
    [one] { $failed } чтение завершилось
    [few] { $failed } чтения завершились
   *[many] { $failed } чтений завершились
} ошибкой; прочитанное не сверялось
endurance-end-caption = Чем закончилось; ГБ = 10⁹ байт: { $drive }
endurance-column-round = Раунд
endurance-column-repeated = { $count ->
    [one] { $repeats } не моделировался
   *[many] { $repeats } не моделировались
}
endurance-column-written = Записано всего
endurance-column-tail = 99,9 % записей
endurance-column-slowest = Самая долгая запись
endurance-column-amplification = Усиление записи
endurance-column-used = Израсходовано ресурса, %
endurance-column-spare = Осталось резерва, %
endurance-column-cycles = Циклы стирания, среднее
endurance-column-most = Циклы стирания, наибольшее
endurance-column-retired = Блоки, выведенные из работы
endurance-column-programs = Неудачные программирования
endurance-column-erases = Неудачные стирания
endurance-column-retries = Повторные чтения
endurance-column-rebuilt = Восстановленные страницы
endurance-column-unreadable = Не удалось прочитать
endurance-column-temperature = Температура, °C
endurance-rounds-caption = Раунды; ГБ = 10⁹ байт: { $drive }
endurance-rounds-caption-some = Раунды, один из { $every } (всего { $count }) и последний; ГБ = 10⁹ байт:
    { $drive }

## Опубликованные выводы

published-holds = подтверждается
published-fails = не подтверждается
published-caption = { $article }: выводы, на которые отвечают накопители этого обзора
published-head-expected = Ожидается
published-head-got = Получено
published-head-holds = Вывод
published-open-caption = { $article }: выводы, которые здесь остаются открытыми, и чего для них не хватает
published-head-finding = Вывод
published-head-needs = Не хватает
