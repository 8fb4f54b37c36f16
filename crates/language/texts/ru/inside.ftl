# Страница определения внутреннего устройства: каркас и рисунки.

## Каркас

inside-title = { $target } – внутреннее устройство
inside-subject = { $target } (внутреннее устройство)
inside-skip = Перейти к известному
inside-kicker = Что внутри, если смотреть снаружи
inside-incomplete = НЕПОЛНОТА: на это не хватило времени.
inside-no-script = Для графиков нужен JavaScript. Выводы и таблицы видны и без него.
inside-known = Что известно
inside-nothing-known = Определить не удалось ничего.
inside-units = В скобках — 90-процентные интервалы. МБ = 10⁶ байт, ГБ = 10⁹ байт, КиБ = 1024 байта.
inside-shown-in = Показано на рисунках:
inside-unknown = Что определить нельзя
inside-all-known = Определены все свойства.
inside-pictures = { $group }: рисунки
inside-document = Выводы записаны в файле <code>identification.json</code> рядом с этой страницей;
    <code>--observed FILE.json</code> сохраняет всё, что было увидено.
inside-badge-simulated = модель накопителя
inside-badge-real = исследован программой fio
inside-badge-review = по обзору
inside-note-simulated = Модель накопителя исследовалась в виртуальном времени как чёрный ящик: ни
    один её параметр не использовался. Оборудование не участвовало.
inside-note-real = Всё следует из запросов и времени, которое они заняли.
inside-note-review = Накопитель не исследовался: всё следует из того, что измерил обзор, а это
    меньше, чем видит исследование.

## На терминале

inside-untold = Определить нельзя
inside-left-out = не хватило времени: { $what }
inside-brackets = В скобках — 90-процентные интервалы. { $units }.

## Общее для всех рисунков

inside-interval = 90-процентный интервал
inside-numbers = Числа
inside-some-numbers = Некоторые числа
inside-axis-written = Записано, ГБ (10⁹ байт)
inside-mark = { $name }: { $value }
inside-no-rest = без отдыха
inside-rest = { $time } отдыха
inside-at-once = сразу
inside-after-a-rest = после отдыха
inside-after-the-rest = после отдыха
inside-level = { $name }: { $time }
inside-new-data = новые данные
inside-old-data = старые данные
inside-trace-reads = чтение
inside-trace-writes = запись
inside-trace-random-writes = случайная запись
inside-trace-ascending-writes = запись подряд
inside-trace-flush = сброс
inside-trace-write = запись
inside-trace-pair = пара

## Запись

inside-cache = кэш
inside-spare = резерв
inside-cache-end = Отмечен определённый конец SLC-кэша.
inside-fill-title = Запись на пустой накопитель
inside-fill-note = Длинные запросы подряд.
inside-full-title = Запись на заполненный накопитель: { $rest }
inside-full-mark = Отмечено, сколько из этого принимает SLC-кэш.
inside-emptied-title = Запись после отдыха на пустом накопителе
inside-emptied-note = Перед каждым отдыхом часть накопителя была записана.
inside-emptied-cache = Быстро записывается столько, сколько за время отдыха освободилось в SLC-кэше.
inside-burst-title = Первая запись после отдыха
inside-burst-note = Буфер записи принимает её начало быстрее, чем флеш-память.
inside-random-title = Случайная запись по заполненному накопителю
inside-fresh-title = Случайная запись по пустому накопителю
inside-spare-note = Отмечен определённый конец резервной области, за тем, что принимает статический
    SLC-кэш. Сборка мусора начинается раньше: это учтено в затенённом интервале.
inside-dirty-title = Случайная запись после отдыха
inside-dirty-note = Случайная запись на накопитель шла, пока он не замедлился. После отдыха быстро
    записывается столько, сколько за это время освободила сборка мусора.
inside-recovered-title = Что даёт отдых после случайной записи
inside-recovered-note = Сколько данных записывается быстро после отдыха, по измерениям обзора.
inside-without-trim = без TRIM
inside-with-trim = с TRIM
inside-axis-rest = Отдых, с
inside-axis-fast = Записано быстро, ГБ (10⁹ байт)
inside-trimmed-title = Запись до TRIM и после
inside-trimmed-note = Длинные запросы подряд на накопитель, который замедлился от случайной записи:
    до TRIM всего накопителя и после; рядом — пустой накопитель.
inside-before-trim = до TRIM
inside-after-trim = после TRIM
inside-empty-drive = пустой накопитель

## Чтение

inside-axis-place = Место, ГБ (10⁹ байт)
inside-axis-read = Чтение страницы, мкс
inside-place-note = Самое короткое из чтений каждой части (1{"\u00A0"}%), а также новых и старых
    данных.
inside-place-cache = То, что читается как новые данные, лежит в SLC-кэше.
inside-map-title = Чтение по месту: новые данные на пустом накопителе
inside-full-map-title = Чтение по месту: новые данные на заполненном накопителе
inside-settled-title = Чтение по месту: заполненный накопитель, { $time } отдыха
inside-kinds-title = Чтение страницы в зависимости от того, что читается
inside-kinds-axis = Медиана, по одному чтению; короче — быстрее
inside-kinds-mean = среднее { $time }
inside-kind-unwritten = Место без данных
inside-kind-ascending = Подряд
inside-kind-new = Новые данные
inside-kind-latest = Конец заполнения, сразу
inside-kind-old = Старые данные
inside-depths-title = Случайное чтение страницы в зависимости от глубины очереди
inside-depths-note = Чем больше запросов в работе, тем больше занято кристаллов, но до предела.
inside-axis-depth = Глубина очереди
inside-unit-outstanding = в очереди
inside-spans-title = Время чтения в зависимости от размера участка
inside-spans-note = Случайное чтение страницы в пределах участка. За пределами того, что охватывает
    кэш таблицы трансляции, иногда сначала читается сама таблица. Вертикальная ось начинается не с
    нуля.
inside-spans-mark = Отмечен объём, который он охватывает по определению.
inside-map-cache = кэш таблицы
inside-axis-span = Участок
inside-axis-mean-read = Среднее чтение страницы, мкс
inside-pairs-title = Пары страниц в зависимости от расстояния
inside-pairs-note = Страницы в одном кристалле ждут друг друга, и обе читаются медленнее.
inside-axis-distance-kib = Расстояние, КиБ (1024 байта)
inside-axis-distance-gb = Расстояние, ГБ (10⁹ байт)
inside-axis-both = Чтений обеих, IOPS
inside-period-note = Через определённый период снова следует первый кристалл.
inside-periods = период и кратные ему
inside-period = период: { $kib }{"\u00A0"}КиБ
inside-far-title = Пары страниц в любых местах
inside-far-note = Доля пар, которые ждут друг друга, показывает, сколько кристаллов.
inside-long-title = Чтение подряд в течение минут
inside-long-note = Накопитель, который снижает скорость из-за нагрева, замедляется, нагреваясь.

## Сохранность данных

inside-flushes-title = Сброс после стольких записей страницы
inside-flushes-note = Сброс короче программирования флеш-памяти не ждал ни одного.
inside-axis-between = Записей между двумя сбросами
inside-unit-writes = записей
inside-axis-mean-time = Среднее время, мкс
inside-mixed-title = Одновременные чтение и запись
inside-mixed-axis = Запросы подряд, МБ/с (МБ = 10⁶ байт); длиннее — быстрее
inside-mixed-note = Полудуплексный накопитель при одновременной работе достигает
    меньшего, чем поочерёдно
inside-mixed-reads = Только чтение
inside-mixed-writes = Только запись
inside-mixed-turns = Поочерёдно (расчёт)
inside-mixed-both = Одновременно
inside-short-title = Запись меньше страницы
inside-short-axis = Случайных записей в секунду; длиннее — быстрее
inside-short-note = Накопитель, который сначала должен прочитать остаток страницы, медленнее при
    записи меньше страницы
inside-short-part = 512 байт
inside-short-page = Страница (4 КиБ)
