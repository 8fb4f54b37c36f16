# Что внутри накопителя: свойства, из чего они следуют и почему их нельзя определить.

## Группы свойств

identify-group-cache = SLC-кэш и буфер записи
identify-group-spare = Резервная область, сборка мусора и TRIM
identify-group-reads = Чтение, кристаллы и таблица трансляции
identify-group-durability = Сохранность данных и одновременные чтение и запись

## Названия свойств

identify-name-slc-cache = SLC-кэш
identify-name-slc-cache-bytes = SLC-кэш: размер на пустом накопителе
identify-name-slc-cache-bytes-full = SLC-кэш: размер на заполненном накопителе
identify-name-slc-cache-kind = SLC-кэш: вид
identify-name-slc-write-bytes-per-s = SLC-кэш: скорость записи
identify-name-after-cache-write-bytes-per-s = Скорость записи за пределами SLC-кэша
identify-name-slc-when-full = SLC-кэш: запись, когда он полон
identify-name-slc-idle-emptying = SLC-кэш: опустошение в простое
identify-name-slc-emptying-bytes-per-s = SLC-кэш: скорость опустошения
identify-name-write-buffer-bytes = Буфер записи: размер
identify-name-over-provisioning-percent = Резервная область
identify-name-idle-gc = Сборка мусора в простое
identify-name-trim-restores = TRIM: насколько восстанавливает скорость
identify-name-trim-ns-per-gib = TRIM: время на ГиБ
identify-name-read-latency-ns = Случайное чтение страницы: среднее время
identify-name-flash-read-ns = Флеш-память: время чтения
identify-name-read-ahead = Упреждающее чтение
identify-name-parallel-dies = Кристаллы, работающие параллельно
identify-name-stripe-bytes = Данные подряд в одном кристалле
identify-name-map-cache = Кэш таблицы трансляции (L2P)
identify-name-map-cache-bytes = Кэш таблицы трансляции (L2P): объём данных, который он охватывает
identify-name-thermal-throttling = Снижение скорости из-за нагрева
identify-name-flush-latency-ns = Сброс после записи: среднее время
identify-name-program-ns = Флеш-память: время программирования
identify-name-power-loss-protection = Защита от потери питания
identify-name-flush-ignored = Команды сброса не выполняются
identify-name-half-duplex = Полудуплекс: чтение и запись поочерёдно
identify-name-sub-page-write-penalty = Запись меньше страницы медленнее

## Значения

identify-units = КиБ = 1024 байта, МБ = 10^6 байт, ГБ = 10^9 байт
identify-yes = да
identify-no = нет
identify-kind-static = статический
identify-kind-dynamic = динамический
identify-kind-both = статический и динамический
identify-kind-whole-array = вся флеш-память
identify-kind-fold-first = ждёт опустошения
identify-kind-direct = идёт мимо кэша
identify-kind-fully = полностью
identify-kind-partly = частично
identify-kind-nothing = не восстанавливает
identify-interval = от { $low } до { $high }
identify-dies = { $number } { $count ->
    [one] кристалл
    [few] кристалла
   *[many] кристаллов
}
identify-at-least = не менее { $least }
identify-dies-range = { $ends } кристаллов
identify-of-capacity = { $number } % ёмкости

## SLC-кэш

identify-step = пустой накопитель принимает { $bytes } со скоростью { $fast }, затем { $slow }
identify-no-cache = у накопителя нет SLC-кэша
identify-cache-unknown = неизвестно, есть ли SLC-кэш
identify-cache-end-unseen = ни скорость записи, ни время чтения не показывают, где кончается кэш
identify-full-missing = записи на заполненный накопитель не рассматривались
identify-full-no-step = запись на заполненный накопитель не показывает ступени
identify-cache-size-unknown = размер кэша неизвестен
identify-not-emptied = кэш не опустошается, пока накопитель простаивает
identify-full-takes = заполненный накопитель после отдыха быстро принимает { $bytes }
identify-full-unseen = заполненный накопитель не показывает, какого размера кэш
identify-share = { $percent } % ёмкости
identify-share-stays = { $percent } % ёмкости; { $stays } % его занято новыми данными после того,
    как значительная часть заполненного накопителя записана снова
identify-newest-new = когда записано { $written } пустого накопителя, записанное последним читалось как новое, а
    записанное первым — уже нет
identify-oldest-new = когда записано { $written } пустого накопителя, записанное первым читалось как новое, а
    записанное последним — нет
identify-no-step = запись не показывает ступени
identify-reads-missing = чтение не исследовалось
identify-latest-missing = записанное последним не читалось
identify-busy-after-fill = после заполнения накопитель был слишком занят, чтобы чтение что-либо
    показало
identify-latest = записанное последним при полном заполнении читается за { $latest }, новые данные —
    за { $new }, старые — за { $old }
identify-taken = при полном кэше быстро принимается сразу { $none }, после { $rest } с отдыха —
    { $some }
identify-mapped-rest = так же быстро, как новые данные, сразу читается { $before }, после отдыха —
    { $after }
identify-free-unseen = ни скорость записи, ни время чтения не показывают, сколько места свободно
identify-free-no-speed = скорость записи не показывает, сколько места в кэше свободно
identify-emptied-within = кэш опустел за { $rest } с: он опустошается быстрее
identify-more-after = на { $bytes } больше через { $rest } с
identify-new-and-old = самые быстрые из только что записанных страниц читаются за { $new }, из
    записанных давно — за { $old }
identify-new-and-old-noisy = самые быстрые из только что записанных страниц читаются за { $new }, из
    записанных давно — за { $old }, а одно и то же чтение различается на { $noise } %
identify-new-and-old-alike = самые быстрые из только что записанных страниц читаются за { $new }, из
    записанных давно — за { $old }: обе лежат в одинаковой флеш-памяти
identify-step-unseen = запись не показывает ступени, но её не показал бы и кэш, который не быстрее
    остальной памяти; чтение не исследовалось
identify-mapped = из записанных { $written } так же быстро, как новые данные, читается { $bytes }
identify-mapped-least = из записанных { $written } так же быстро, как новые данные, читается { $bytes };
    записанное первым покинуло кэш, который может быть больше: больше не записывалось
identify-mapped-all = все записанные { $all } читаются так же быстро, как новые данные; из
    записанных { $written } так же быстро читается { $bytes }

## Резервная область, сборка мусора, TRIM, буфер записи

identify-random-missing = случайной записи на накопитель не было
identify-no-fall = скорость случайной записи не падает: сборка мусора обходится дешевле чего-то
    другого, или резервная область не кончилась
identify-fall-elsewhere = случайная запись замедляется там, где это не объяснить резервной областью
identify-fall = скорость случайной записи падает с { $fast } до { $slow }, когда поверх данных
    записано { $bytes }, из которых кэш принял { $cached }
identify-fall-range = скорость случайной записи падает с { $fast } до { $slow }, когда поверх данных
    записано { $bytes }, из которых кэш принял от { $least } до { $cached }
identify-after-rests = после случайной записи быстро принимается сразу { $once }, после
    { $short_rest } с отдыха — { $short }, после { $long_rest } с — { $long }
identify-rest-cools = после долгого отдыха вся запись быстра, и тогда, когда накопитель тем временем
    читали: он мог остыть
identify-random-not-slow = случайная запись не замедляется: она продолжается со скоростью { $speed }
identify-rests-missing = отдых после случайной записи не исследовался
identify-after-rest = после случайной записи и отдыха быстро принимается { $bytes }
identify-trim-reviewed = пустой накопитель начал с { $fresh } случайных записей в секунду, после
    TRIM — с { $after }
identify-trim-missing = TRIM после случайной записи не исследовался
identify-trim = первые { $bytes } записываются со скоростью { $fresh } на пустой накопитель,
    { $before } — после случайной записи, { $after } — после TRIM
identify-trim-nothing = первые { $bytes } записываются со скоростью { $fresh } на пустой накопитель,
    { $before } — после случайной записи, { $after } — после TRIM: восстанавливать было нечего
identify-trim-time-missing = TRIM части накопителя не исследовался
identify-trim-time = TRIM { $bytes } заполненного накопителя занял { $ms } мс,
    одновременно с чтением
identify-burst-missing = первая запись после отдыха не исследовалась
identify-burst-few = первой записи после отдыха было слишком мало
identify-buffer-unseen = накопитель принимает столько, сколько даёт интерфейс или принимает его
    флеш-память: буфер не заполняется сразу
identify-buffer-unused = каждая запись ждёт флеш-память: кэш записи выключен
identify-buffer = первая запись после отдыха опережает установившиеся { $speed } на { $bytes }

## Чтение, кристаллы, таблица трансляции, нагрев

identify-latency = случайных чтений страницы по одному — { $count }: медиана { $median }, 99 % —
    { $tail }
identify-unwritten-missing = чтение места без данных не исследовалось
identify-unwritten-as-slow = место без данных читается так же долго, как данные: оно тоже читается
    из флеш-памяти
identify-flash-read = страница читается за { $old }, страница без данных, для которой флеш-память не
    читается, — за { $unwritten }: остальное — считывание (tR) и передача из кристалла
identify-flash-read-map = страница читается за { $old }, страница без данных, для которой флеш-память не
    читается, — за { $unwritten }: остальное — считывание (tR) и передача из кристалла, но и то и
    другое могло ждать части таблицы трансляции, до { $lookup }
identify-ascending-missing = чтение подряд не исследовалось
identify-ascending = страницы читаются за { $ascending } подряд, за { $random } в случайном порядке
identify-pairs-missing = пары чтений не исследовались
identify-pairs-moved = места, которые ждут друг друга, лежат не на одном расстоянии: прочитанное
    было перемещено, или полоса длиннее исследованного
identify-stripe = страницы на расстоянии { $period } КиБ ждут друг друга; { $unit } КиБ подряд лежат
    в одном кристалле
identify-stripe-parity = страницы на расстоянии { $period } КиБ ждут друг друга; { $unit } КиБ
    подряд лежат в одном кристалле: кристаллов с данными — { $dies }, остальное — чётность
identify-pairs-free = никакие два исследованных места не ждут друг друга: чтение ограничивает не
    кристалл
identify-pairs-share = { $percent } % пар мест ждут друг друга
identify-spans-missing = чтение в пределах разных участков не исследовалось
identify-spans = страница читается за { $hit } в пределах { $least }, за { $last } в пределах
    { $most }
identify-noisy = одно и то же чтение различается на { $noise } %
identify-spans-alike = ни один участок накопителя не читается медленнее другого
identify-spans-vary = чтение на небольших участках само различается на { $percent } %, а влияние
    кэша может быть столь же мало
identify-spans-few = слишком мало участков больше кэша
identify-long-missing = долгие нагрузки не исследовались
identify-throttled = чтение подряд ничего в накопителе не меняет, а скорость падает с { $first } до
    { $last } запросов в секунду за { $seconds } с
identify-not-throttled = { $seconds } с чтения не замедлили накопитель: возможно, он не нагрелся

## Сброс, одновременные чтение и запись, запись меньше страницы

identify-flush-unseen = снаружи нельзя узнать, выполнен ли сброс, на который получен ответ: это
    показывает только отключение питания
identify-flushes-missing = сбросы не исследовались
identify-flush = сброс после записи одной страницы занимает { $time }
identify-flush-short = сброс после записи одной страницы занимает { $time }: меньше программирования
    флеш-памяти: записанное в безопасности в буфере, или сбросы не выполняются, что выглядит так же
identify-written-through = запись одной страницы занимает { $time }, и сбросу нечего ждать: кэш
    записи выключен, и что накопитель потерял бы с включённым, не видно
identify-flush-waits = сброс после записи одной страницы занимает { $time }: он ждёт флеш-память
identify-no-program = ни один сброс не ждёт программирования флеш-памяти
identify-program = самое короткое ожидание флеш-памяти — { $time }, программирование — не дольше
identify-mixed-missing = одновременные чтение и запись не исследовались
identify-mixed-short = одновременные чтение и запись заняли { $ms } мс, слишком мало для сравнения
identify-mixed = только чтение подряд — { $reads }, только запись — { $writes }, поочерёдно —
    { $turns }, одновременно — { $both }
identify-short-missing = запись меньше страницы не исследовалась
identify-short = { $short } случайных записей по 512 байт в секунду, { $page } — по странице
