# Тексты, от которых обзор хранит идентификаторы с аргументами: названия, методики, условия,
# предупреждения.

## Названия редакций

rec-edition-2014 = 2014: весь объём накопителя, { $time } на измерение
rec-edition-2015 = 2015: весь объём накопителя, { $time } на измерение
rec-edition-2016a = 2016a: весь объём накопителя, { $time } на измерение
rec-edition-2016b = 2016b: в пределах 32 ГиБ, { $time } на измерение
rec-edition-2018 = 2018: в пределах 32 ГиБ, { $time } на измерение
rec-edition-crystaldiskmark = CrystalDiskMark, все версии
rec-edition-ladder = Лестница восстановления: отдых от 30 с до 30 мин, с TRIM и без него
rec-edition-snia = Установившееся состояние по SNIA PTS 2.0.1: насыщение записью, IOPS, пропускная
    способность, задержка
rec-edition-endurance = Ресурс: запись до отказа; накопитель при этом изнашивается полностью
rec-edition-database = База данных: запись с фиксацией, журнал рядом с данными, чтение и запись в
    установившемся состоянии
rec-edition-quick = Быстрый обзор: первое впечатление за пять минут

## Названия тестов

rec-test-sequential = Последовательное чтение и запись
rec-test-random = Случайное чтение и запись
rec-test-depth = Случайный доступ и глубина очереди
rec-test-block = Случайный доступ и размер блока
rec-test-sequential-depth = Последовательный доступ и глубина очереди
rec-test-mixed-sequential = Смешанный последовательный доступ
rec-test-mixed-random = Смешанный случайный доступ
rec-test-degradation = Деградация при случайной записи
rec-test-recovery = Восстановление в простое и после TRIM
rec-test-fill = Последовательная запись всего объёма
rec-test-response = Чтение при удалении файла
rec-test-cdm-4 = CrystalDiskMark 4 и 5
rec-test-cdm-8-nvme = CrystalDiskMark 8, NVMe
rec-test-cdm-8-mix = CrystalDiskMark 8 со смешанной нагрузкой
rec-test-traces = Трассы настольных программ
rec-test-game = Запуск игры
rec-test-applications = Запуск программ
rec-test-copy = Копирование файлов
rec-test-archive = Архивация файлов
rec-test-unarchive = Распаковка архива
rec-test-ladder = Что возвращает отдых
rec-test-saturation = Насыщение записью
rec-test-steady-iops = IOPS в установившемся состоянии
rec-test-steady-throughput = Пропускная способность в установившемся состоянии, { $block }
rec-test-steady-latency = Задержка в установившемся состоянии
rec-test-endurance = Ресурс
rec-test-durability = Цена надёжного сохранения
rec-test-log = Запись журнала
rec-test-log-beside = Журнал рядом с данными
rec-test-commits = Фиксации из нескольких потоков
rec-test-read-write-steady = Чтение и запись в установившемся состоянии
rec-test-mixed = Смешанные чтение и запись
rec-test-burst = Случайная запись в течение { $time }
rec-test-flush = Задержка записи с фиксацией

## Методики тестов

rec-method-sequential = Блоки 256 КиБ, один поток, глубина очереди 1, по { $time }; средняя
    скорость.
rec-method-sequential-inside = Блоки 256 КиБ, один поток, глубина очереди 1, в пределах
    { $region }, по { $time }; средняя скорость.
rec-method-random = Блоки 4 КиБ по всему объёму накопителя, глубина очереди 1 и 4, по { $time }.
rec-method-random-inside = Блоки 4 КиБ в пределах { $region }, глубина очереди { $first } и
    { $last }, по { $time }.
rec-method-depth = Случайное чтение и запись блоками 4 КиБ при глубине очереди от 1 до 32,
    { $time } на измерение.
rec-method-depth-inside = Случайное чтение и запись блоками 4 КиБ при глубине очереди от 1 до 32, в
    пределах { $region }, { $time } на измерение.
rec-method-block = Случайное чтение и запись блоками от 512 Б до 256 КиБ при глубине очереди 4,
    { $time } на измерение.
rec-method-block-inside = Случайное чтение и запись блоками от 512 Б до 256 КиБ при глубине очереди
    4, в пределах { $region }, { $time } на измерение.
rec-method-sequential-depth = Последовательное чтение и запись блоками 256 КиБ при глубине очереди
    от 1 до 32, один поток, в пределах { $region }, { $time } на измерение.
rec-method-mixed-sequential = Блоки 128 КиБ, два независимых потока с глубиной очереди 1, от 0 до
    100 % чтения с шагом { $step } %, { $time } на измерение.
rec-method-mixed-sequential-inside = Блоки 128 КиБ, два независимых потока с глубиной очереди 1, от
    0 до 100 % чтения с шагом { $step } %, в пределах { $region }, { $time } на измерение.
rec-method-mixed-random = Блоки 4 КиБ, четыре независимых потока с глубиной очереди 1, от 0 до 100
    % чтения с шагом { $step } %, { $time } на измерение.
rec-method-mixed-random-inside = Блоки 4 КиБ, четыре независимых потока с глубиной очереди 1, от 0
    до 100 % чтения с шагом { $step } %, в пределах { $region }, { $time } на измерение.
rec-method-degradation = Случайная запись блоками 4 КиБ по всему объёму накопителя при глубине
    очереди 32 в течение { $time }, отсчёт каждую секунду.
rec-method-recovery = После { $time } случайной записи накопитель 15 минут отдыхает без TRIM и
    записывается снова; затем для всего объёма выдаётся TRIM, и через минуту накопитель
    записывается ещё раз.
rec-method-fill = Блоки 1 МиБ по возрастанию адресов, один поток, глубина очереди 1, от начала
    накопителя до конца; скорость в зависимости от места.
rec-method-response = За читаемыми 32 ГиБ записывается файл в 32 ГиБ, и накопитель отдыхает; затем
    идёт случайное чтение блоками 4 КиБ при глубине очереди 1, и через { $time } файл удаляется —
    без TRIM и с ним. Учитывается каждый запрос.
rec-method-cdm-3 = Записывается файл в 1000 МиБ, затем строка за строкой измеряется пять проходов
    по { $time }, из которых засчитывается самый быстрый; между ними 5 секунд отдыха. МБ
    десятичные. Реальный накопитель получает случайные данные fio, тогда как сама программа
    повторяет один буфер в 1 МиБ.
rec-method-cdm-five = Записывается файл в 1 ГиБ, затем измеряются все чтения, потом все записи:
    пять проходов по { $time } после одного незачётного, засчитывается самый быстрый; между ними 5
    секунд отдыха. МБ десятичные. Реальный накопитель получает случайные данные fio, тогда как сама
    программа повторяет один буфер в 1 МиБ.
rec-method-cdm-three = Записывается файл в 1 ГиБ, затем измеряются все чтения, потом все записи:
    три прохода по { $time } после одного незачётного, засчитывается самый быстрый; между ними 5
    секунд отдыха. МБ десятичные. Реальный накопитель получает случайные данные fio, тогда как сама
    программа повторяет один буфер в 1 МиБ.
rec-method-cdm-mix = Записывается файл в 1 ГиБ, затем измеряются все чтения, все записи и смесь из
    70 % чтения и 30 % записи: пять проходов по { $time } после одного незачётного, засчитывается
    самый быстрый; между ними 5 секунд отдыха. МБ десятичные. Реальный накопитель получает
    случайные данные fio, тогда как сама программа повторяет один буфер в 1 МиБ.
rec-method-traces = Десять синтезированных трасс настольных программ с итогами, которые публикует
    PCMark 8 Storage: это не собственные трассы PCMark, которые не опубликованы, и не результат
    PCMark. Каждая воспроизводится в своём темпе; её скорость — объём, делённый на время, в течение
    которого выполнялся хотя бы один запрос.
rec-method-game = Синтезированная трасса запуска игры и загрузки уровня, целиком предположительная;
    ожидания процессора и памяти опущены, так что следующий запрос есть всегда, одновременно не
    более двух. Её скорость — объём, делённый на время, в течение которого выполнялся хотя бы один
    запрос.
rec-method-applications = Синтезированная трасса запуска браузера, текстового процессора,
    фоторедактора и видеоредактора с их файлами, целиком предположительная; ожидания опущены, как и
    при запуске игры.
rec-method-copy = Наборы файлов по 8 ГиБ копируются в пределах накопителя через файловую систему,
    пока всё не будет надёжно сохранено: образы дисков, установленный пакет программ, рабочие
    файлы.
rec-method-archive = 8 ГиБ рабочих файлов упаковываются в один архив (Deflate, быстрый режим;
    данные несжимаемы, время процессора не учитывается), пока всё не будет надёжно сохранено.
rec-method-unarchive = Архив с 8 ГиБ рабочих файлов распаковывается, пока всё не будет надёжно
    сохранено; время процессора не учитывается.
rec-method-ladder = Случайная запись блоками 4 КиБ по всему объёму накопителя при глубине очереди
    32 в течение { $time }; затем, каждый раз с оставшегося после неё состояния, отдых 30 с, 1, 5,
    10, 15 или 30 мин и { $again } той же нагрузки. Один раз без TRIM, другой — с TRIM всего объёма
    перед отдыхом.
rec-method-saturation = Полная очистка; затем случайная запись блоками 4 КиБ раундами по { $time },
    пока не будет записано четыре объёма накопителя, но не дольше { $limit }.
rec-method-steady-iops = Полная очистка; двукратная последовательная запись всего объёма блоками
    128 КиБ; затем раунды из семи смесей чтения и записи в восьми размерах, по { $time }, пока IOPS
    случайной записи 4 КиБ не станут устойчивыми в течение пяти раундов, самое большее 25 раундов.
rec-method-steady-128 = Так же, с раундами последовательного чтения и записи блоками 128 КиБ;
    отслеживается запись.
rec-method-steady-1m = Так же, с раундами последовательного чтения и записи блоками 1 МиБ;
    отслеживается запись.
rec-method-steady-latency = Так же, с раундами из трёх смесей в трёх размерах, случайный доступ,
    глубина очереди 1; отслеживается средняя задержка записи 4 КиБ.
rec-method-endurance = Весь объём последовательно перезаписывается блоками 128 КиБ при глубине
    очереди 32, раунд за раундом, пока накопитель не откажется от записи или не будет израсходован
    лимит записи; после каждого раунда запрашивается состояние накопителя. Затем делается ещё одна
    попытка записи, и весь накопитель читается.
rec-method-durability = Случайная запись блоками 4 КиБ из одного потока, по { $time }: без
    фиксации, с O_DSYNC, с fsync через каждые 1, 4, 16 и 64 записи, с fdatasync после каждой.
rec-method-log = Последовательная запись с O_DSYNC блоками 4, 8 и 16 КиБ из одного потока в
    пределах 1 ГиБ, по { $time }: фиксаций в секунду.
rec-method-log-beside = Журнал: запись с O_DSYNC блоками 8 КиБ в пределах 1 ГиБ, отдельно и
    одновременно со случайной записью блоками 16 КиБ из четырёх потоков с fsync через каждые 64
    записи каждого, по { $time }, интервалами по { $interval }.
rec-method-commits = Случайная запись с O_DSYNC блоками 4 КиБ из 1, 2, 4, 8 и 16 потоков, по
    { $time }.
rec-method-read-write-steady = Случайные запросы блоками 8 КиБ из 16 потоков, 70 % чтения, запись с
    O_DSYNC, накопитель в установившемся состоянии: { $time } интервалами по { $interval }.
rec-method-quick-mixed = Блоки 4 КиБ в пределах 16 ГиБ, 70 % чтения, глубина очереди 8, { $time }.
rec-method-burst = Случайная запись блоками 4 КиБ в пределах 16 ГиБ при глубине очереди 32 в
    течение { $time }, отсчёт каждую секунду: насколько ровна скорость.
rec-method-flush = Случайная запись блоками 4 КиБ в пределах 16 ГиБ из одного потока, по { $time }:
    без фиксации, с O_DSYNC, с fsync после каждой.

## Названия кривых, отдыха, вариантов, наборов и трасс

rec-curve-fresh = в свежем состоянии
rec-curve-after-idle = после простоя
rec-curve-after-trim = после TRIM
rec-after-rest = после отдыха { $time }
rec-after-trim-and-rest = после TRIM и отдыха { $time }
rec-curve-burst = серия записи
rec-response-with-trim = с TRIM
rec-response-without-trim = без TRIM
rec-set-iso = образы дисков
rec-set-program = программа
rec-set-work = рабочие файлы
rec-trace-photoshop-light = Adobe Photoshop, лёгкая нагрузка
rec-trace-photoshop-heavy = Adobe Photoshop, тяжёлая нагрузка
rec-trace-game-start = Запуск игры и загрузка уровня
rec-trace-applications-start = Запуск браузера, текстового процессора, фоторедактора и видеоредактора с
    их файлами
rec-limit-beginning-time = только начало: первые { $share } % трассы, { $part } из { $whole } с

## Условия: названия

rec-condition-edition = редакция
rec-condition-state = состояние `{ $of }`
rec-condition-trim-in-states = TRIM в состояниях
rec-condition-region = область
rec-condition-write-budget = лимит записи
rec-condition-preparation = подготовка
rec-condition-order = порядок
rec-condition-durations = длительности
rec-condition-data = данные
rec-condition-latency = задержка
rec-condition-seed = начальное число
rec-condition-repetitions = повторения
rec-condition-interrupted = прерывания
rec-condition-steady-state-of = установившееся состояние `{ $of }`
rec-condition-clock = часы
rec-condition-host-limit = предел хоста
rec-condition-measured = способ измерения
rec-condition-review = обзор
rec-condition-bytes-under-test = тестируемый объём, байт
rec-condition-temperature-before-the-tests = температура перед тестами
rec-condition-highest-temperature-under-the-curves = наибольшая температура на кривых
rec-condition-edition-s-sha-256 = SHA-256 редакции
rec-condition-commit-of-stend = коммит stend

## Условия: значения

rec-state-name-clean = чистый
rec-state-name-filled = заполненный
rec-state-name-preconditioned = подготовленный
rec-state-name-purged = очищенный
rec-state-name-steady = установившийся
rec-state-name-as-it-is = как есть
rec-state-filled-once = однократно заполнен последовательно, TRIM всего объёма, 15 минут простоя
rec-state-filled = состояние clean, затем ещё раз заполнен последовательно, 15 минут простоя
rec-state-filled-32 = состояние clean, затем последовательно заполнены первые 32 ГиБ, 15 минут
    простоя
rec-state-quick = TRIM всего объёма, затем последовательно заполнены первые 16 ГиБ, десять секунд
    простоя
rec-state-database = TRIM всего объёма, однократно заполнен последовательно, минута простоя
rec-state-steady = заполнен, затем записывается случайно блоками 16 КиБ, пока скорость не
    установится по определению SNIA
rec-state-purged = TRIM всего объёма
rec-state-preconditioned = полностью очищен, затем весь объём дважды записан последовательно
    (независимо от нагрузки)
rec-state-as-is = в полученном виде
rec-value-no-trim = НЕТ: цель не принимает TRIM. Состояния, которым он нужен, получены только
    остальными шагами, поэтому результаты не соответствуют редакции
rec-value-no-preparation = не проводилась (--read-only): ничего не записывалось и TRIM не
    выдавался, состояние осталось прежним; состояния редакции не подготавливались, поэтому
    результаты ей не соответствуют. Если накопитель знает, что место не записывалось, он отвечает
    на чтение, не обращаясь к флеш-памяти
rec-value-region = если в тесте указана область, его запросы остаются в пределах этого объёма от
    начала цели: { $sizes }
rec-value-budget = тест ресурса записывает не более { $size } ({ $bytes } байт)
rec-value-order-read-only = один накопитель: измерения, которые только читают, одно за другим;
    между тестами отдых { $time } с
rec-value-order-copies = каждое измерение начинается с собственной копии накопителя в указанном
    состоянии, поэтому ни одно не влияет на другое
rec-value-order = один накопитель: измерения теста идут одно за другим; перед тестом и перед первой
    записью после чтения накопитель снова приводится в указанное состояние либо отдыхает { $time }
    с, если с тех пор его только читали
rec-value-durations = как в редакции
rec-value-shortened = сокращены: каждое измерение × { $scale }, в целых секундах и не короче 1 с, а
    от каждой трассы — начало; отдых сохраняет длительность; то, что определяется объёмом
    (заполнение, проход по области), не изменено
rec-value-stretched = удлинены: каждое измерение × { $scale }, в целых секундах и не короче 1 с, а
    от каждой трассы — начало; отдых сохраняет длительность; то, что определяется объёмом
    (заполнение, проход по области), не изменено
rec-value-data-random = случайные; каждый запрос выровнен по своему размеру
rec-value-data-held = то, что было на цели; каждый запрос выровнен по своему размеру
rec-value-latency = задержка завершения: от передачи запроса устройству до известия о его
    завершении
rec-value-repetitions = повторений каждого теста — { $count }, начальные числа: { $seeds }; точки и
    ключевые показатели — средние, всё остальное относится к первому
rec-value-interrupted = тестирование было остановлено (завершено: { $tests }) и продолжено с теста
    «{ $test }» на накопителе, подготовленном заново, как в начале
rec-value-clock = виртуальное время моделирования, целые наносекунды
rec-value-incompressible = несжимаемые (модель не рассматривает данные)
rec-steady-reached = достигнуто за { private-steady-rounds } по { $seconds } с { private-steady-load } блоками { $block },
    глубина очереди { $depth } (всего { $written }), { private-steady-figures }
rec-steady-not-reached = установившееся состояние не достигнуто за { private-steady-rounds } по { $seconds } с
    { private-steady-load } блоками { $block }, глубина очереди { $depth } (всего { $written }),
    { private-steady-figures }
rec-value-host-limit = { $limits } (движок fio null, не передающий данных: затраты ядра и драйвера
    сюда не входят)
rec-value-edition-durations = как в редакции
rec-value-scaled-durations = СОКРАЩЕНЫ ИЛИ УДЛИНЕНЫ: × { $scale }
rec-value-whole = полный
rec-value-incomplete = НЕПОЛНЫЙ
rec-value-simulated = моделирование
rec-value-file = файл, fio
rec-value-directory = каталог, fio и работа с файлами
rec-value-block-device = блочное устройство, fio
rec-value-none = нет
rec-value-not-known = неизвестно

## Тестовая система: названия

rec-condition-kernel = ядро
rec-condition-processor = процессор
rec-condition-processor-threads-usable = доступные потоки процессора
rec-condition-frequency-governor = управление частотой
rec-condition-file = файл
rec-condition-directory = каталог
rec-condition-file-system = файловая система
rec-condition-file-system-in-use = занято в файловой системе
rec-condition-device = устройство
rec-condition-backing-file = файл устройства
rec-condition-device-size-bytes = объём устройства, байт
rec-condition-link = интерфейс подключения
rec-condition-slow-link = замедленное подключение
rec-condition-i-o-queues = очереди ввода-вывода
rec-condition-scheduler = планировщик
rec-condition-rotational = вращающийся носитель
rec-condition-kernel-s-write-cache-mode = режим кэша записи в ядре
rec-condition-logical-block-bytes = логический блок, байт
rec-condition-physical-block-bytes = физический блок, байт
rec-condition-trim-by-the-device = TRIM устройства
rec-condition-discard-granularity-bytes = гранулярность TRIM, байт
rec-condition-i-o-engine = механизм ввода-вывода
rec-condition-access = доступ
rec-condition-in-use = используется

## Тестовая система: значения

rec-place-value-governor = нет (частоту выбирает не ядро)
rec-place-value-filled = { $share } % от { $size }
rec-place-value-file-system = { $type } на { $device }, точка монтирования { $place }
rec-place-value-directory = { $path }, в собственном подкаталоге stend
rec-place-value-trim-passed = место файла освобождается в файловой системе, которая передаёт TRIM
    накопителю (смонтирована с discard)
rec-place-value-trim = поддерживается, не более { $bytes } байт за раз
rec-place-value-yes = да
rec-place-value-no = нет
rec-place-value-access = только для чтения, не монопольно: действия других программ отражены в
    результатах
rec-place-value-no-device = неизвестно: файловая система расположена не на одном блочном устройстве

## Сведения о накопителе

rec-condition-model = модель
rec-condition-serial-number = серийный номер
rec-condition-firmware = прошивка
rec-condition-rated-life = заявленный ресурс
rec-condition-release-year = год выпуска
rec-condition-trim = TRIM
rec-condition-dram = DRAM
rec-condition-fio = fio
rec-condition-stend = версия stend
rec-condition-controller = контроллер
rec-condition-interface = интерфейс
rec-condition-flash = флеш-память
rec-condition-over-provisioning = резервная область
rec-condition-slc-cache = SLC-кэш
rec-condition-parity = чётность
rec-condition-read-after-trim = чтение после TRIM
rec-condition-encryption = шифрование
rec-condition-model-fingerprint = отпечаток модели
rec-condition-differs-from = отличия от { $of }
rec-condition-history-of-the-drive = история накопителя
rec-drive-demo-8gb = Небольшой накопитель с механизмами SanDisk Ultra II 240 GB в миниатюре, для
    тестов и первых шагов. Не воспроизводит никакой продукт.
rec-fact-value-flash = { $flash }: кристаллов — { $dies }, каналов — { $channels }, плоскостей —
    { $planes }, страницы по { $kib } КиБ
rec-flash-planar-tlc = планарная TLC
rec-flash-intel-20-nm-mlc = 20-нм MLC Intel
rec-flash-intel-20-nm-mlc-128-and-64-gbit = 20-нм MLC Intel, 128 и 64 Гбит
rec-flash-intel-and-micron-32-layer-3d-mlc-floating-gate-256-gbit = 32-слойная 3D MLC Intel и
    Micron с плавающим затвором, 256 Гбит
rec-flash-intel-and-micron-32-layer-3d-tlc-floating-gate-384-gbit = 32-слойная 3D TLC Intel и
    Micron с плавающим затвором, 384 Гбит
rec-flash-intel-and-micron-64-layer-3d-tlc-floating-gate-256-gbit = 64-слойная 3D TLC Intel и
    Micron с плавающим затвором, 256 Гбит
rec-flash-micron-16-nm-mlc-128-gbit = 16-нм MLC Micron, 128 Гбит
rec-flash-micron-20-nm-mlc-64-gbit = 20-нм MLC Micron, 64 Гбит
rec-flash-sk-hynix-16-nm-tlc-128-gbit = 16-нм TLC SK Hynix, 128 Гбит
rec-flash-samsung-19-nm-tlc-128-gbit = 19-нм TLC Samsung, 128 Гбит
rec-flash-samsung-32-layer-v-nand-mlc-128-gbit = 32-слойная V-NAND MLC Samsung, 128 Гбит
rec-flash-samsung-32-layer-v-nand-mlc-86-gbit = 32-слойная V-NAND MLC Samsung, 86 Гбит
rec-flash-samsung-32-layer-v-nand-tlc-128-gbit = 32-слойная V-NAND TLC Samsung, 128 Гбит
rec-flash-samsung-64-layer-v-nand-tlc-256-gbit = 64-слойная V-NAND TLC Samsung, 256 Гбит
rec-flash-samsung-mlc-of-the-16-nm-class-64-gbit = MLC Samsung класса 16 нм, 64 Гбит
rec-flash-sandisk-15-nm-tlc-128-gbit = 15-нм TLC SanDisk, 128 Гбит
rec-flash-sandisk-19-nm-second-generation-tlc-128-gbit = 19-нм TLC SanDisk второго поколения, 128
    Гбит
rec-flash-sandisk-bics3-64-layer-tlc-256-gbit = 64-слойная TLC SanDisk BiCS3, 256 Гбит
rec-flash-sandisk-and-toshiba-19-nm-mlc-first-generation-64-gbit = 19-нм MLC SanDisk и Toshiba
    первого поколения, 64 Гбит
rec-flash-sandisk-and-toshiba-19-nm-mlc-second-generation-64-gbit = 19-нм MLC SanDisk и Toshiba
    второго поколения, 64 Гбит
rec-fact-value-over-provisioning = { $share } % пользовательского объёма в области данных
rec-fact-value-rated-life = { $tb } ТБ записи
rec-fact-value-rated-life-years = { $tb } ТБ записи; гарантия { $years ->
    [one] { $years } год
    [few] { $years } года
   *[many] { $years } лет
}
rec-fact-value-parity = одна страница на каждые { $pages } страниц данных
rec-fact-value-fingerprint = { $hash } (FNV-1a модели)
rec-change-value = { $name } = { $value }
rec-change-with = с { $name }
rec-change-without = без { $name }
rec-change-of-shipped = { $change } (исходно: { $shipped })
rec-fact-value-cache-on-chip = { $cache }; через него проходит вся запись, опустошается
    копированием внутри кристалла
rec-fact-value-cache-controller = { $cache }; через него проходит вся запись, опустошается
    контроллером
rec-fact-value-cache-room-on-chip = { $cache }; пока есть место, через него проходит вся запись;
    опустошается копированием внутри кристалла
rec-fact-value-cache-room-controller = { $cache }; пока есть место, через него проходит вся запись;
    опустошается контроллером
rec-fact-value-cache-below-on-chip = { $cache }; через него проходят записи меньше { $kib } КиБ,
    опустошается копированием внутри кристалла
rec-fact-value-cache-below-controller = { $cache }; через него проходят записи меньше { $kib } КиБ,
    опустошается контроллером
rec-fact-value-cache-below-room-on-chip = { $cache }; пока есть место, через него проходят записи
    меньше { $kib } КиБ; опустошается копированием внутри кристалла
rec-fact-value-cache-below-room-controller = { $cache }; пока есть место, через него проходят
    записи меньше { $kib } КиБ; опустошается контроллером
rec-fact-value-cache-both = статический, { $gb } ГБ с чётностью, в каждом кристалле, и
    динамический, до { $most } ГБ с чётностью, в области данных
rec-fact-value-cache-static = статический, { $gb } ГБ с чётностью, в каждом кристалле
rec-fact-value-cache-dynamic = динамический, до { $most } ГБ с чётностью, в области
    данных
rec-fact-value-trim-none = принимается, но игнорируется
rec-fact-value-trim-once = освобождает место сразу
rec-fact-value-trim-later = учитывается сразу, место освобождается позже
rec-fact-value-trim-data = область данных освобождается сразу, SLC-кэш — при опустошении
rec-fact-value-trim-data-later = учитывается сразу; область данных освобождается позже, SLC-кэш —
    при опустошении
rec-fact-value-trim-alone = { $what }; без очереди: ждёт все остальные команды, а они — её

## Что представляют собой модели

rec-drive-adata-sp550-240gb = 16-нм TLC компании SK Hynix с четырёхканальным контроллером Silicon
    Motion; статический SLC-кэш, через который проходят все данные.
rec-drive-adata-su900-512gb = 32-слойная 3D MLC с четырёхканальным контроллером Silicon Motion;
    динамический SLC-кэш.
rec-drive-crucial-bx100-250gb = 16-нм MLC с четырёхканальным контроллером Silicon Motion; без
    SLC-кэша.
rec-drive-crucial-m550-256gb = 20-нм MLC в кристаллах малого объёма с восьмиканальным контроллером
    Marvell; без SLC-кэша; RAIN.
rec-drive-crucial-mx100-256gb = 16-нм MLC с восьмиканальным контроллером Marvell; без SLC-кэша;
    RAIN.
rec-drive-crucial-mx100-512gb = { rec-drive-crucial-mx100-256gb }
rec-drive-crucial-mx200-250gb = 16-нм MLC с восьмиканальным контроллером Marvell; любой свободный
    блок может записываться как SLC (Dynamic Write Acceleration); RAIN.
rec-drive-crucial-mx500-500gb = 64-слойная 3D TLC с четырёхканальным контроллером Silicon Motion и
    прошивкой Crucial; динамический SLC-кэш; RAIN.
rec-drive-intel-ssd-545s-512gb = 64-слойная 3D TLC с четырёхканальным контроллером Silicon Motion;
    динамический SLC-кэш.
rec-drive-intel-ssd-730-480gb = 20-нм MLC с восьмиканальным серверным контроллером на повышенной
    частоте; без SLC-кэша; чётность по кристаллам; конденсаторы.
rec-drive-intel-ssd-750-400gb = 20-нм MLC с восемнадцатиканальным серверным контроллером NVMe; без
    SLC-кэша; чётность по кристаллам; конденсаторы.
rec-drive-kingston-hyperx-predator-240gb = 19-нм MLC с восьмиканальным контроллером Marvell на шине
    PCIe 2.0 с AHCI; без SLC-кэша.
rec-drive-kingston-hyperx-predator-480gb = { rec-drive-kingston-hyperx-predator-240gb }
rec-drive-kingston-hyperx-savage-240gb = 19-нм MLC с восьмиканальным контроллером Phison S10; без
    SLC-кэша.
rec-drive-plextor-m6-pro-512gb = 19-нм MLC с восьмиканальным контроллером Marvell; без SLC-кэша.
rec-drive-plextor-m6e-256gb = 19-нм MLC с восьмиканальным контроллером Marvell на шине PCIe 2.0 x2 с
    AHCI; без SLC-кэша.
rec-drive-samsung-840-evo-250gb = Планарная TLC с восьмиканальным трёхъядерным контроллером Samsung
    MEX; статический SLC-кэш (TurboWrite).
rec-drive-samsung-840-evo-500gb = { rec-drive-samsung-840-evo-250gb }
rec-drive-samsung-850-evo-250gb = 32-слойная TLC V-NAND с двухъядерным контроллером Samsung MGX;
    статический SLC-кэш (TurboWrite).
rec-drive-samsung-850-evo-500gb = { rec-drive-samsung-850-evo-250gb }
rec-drive-samsung-850-pro-256gb = 32-слойная MLC V-NAND с восьмиканальным трёхъядерным контроллером
    Samsung MEX; без SLC-кэша.
rec-drive-samsung-850-pro-512gb = { rec-drive-samsung-850-pro-256gb }
rec-drive-samsung-860-evo-500gb = 64-слойная TLC V-NAND с контроллером Samsung MJX; SLC-кэш частью
    статический, частью динамический (Intelligent TurboWrite).
rec-drive-samsung-pm863-480gb = 32-слойная TLC V-NAND с восьмиканальным контроллером Samsung
    Mercury, серверный накопитель: конденсаторы, без SLC-кэша.
rec-drive-samsung-sm863-480gb = 32-слойная MLC V-NAND с восьмиканальным контроллером Samsung
    Mercury, серверный накопитель: конденсаторы, без SLC-кэша.
rec-drive-samsung-sm951-ahci-256gb = MLC класса 16 нм с восьмиканальным контроллером Samsung UBX на
    шине PCIe 3.0 с AHCI; без SLC-кэша.
rec-drive-samsung-sm951-ahci-512gb = { rec-drive-samsung-sm951-ahci-256gb }
rec-drive-sandisk-extreme-pro-240gb = Планарная MLC с восьмиканальным контроллером Marvell; короткие
    записи попадают в SLC-кэш (nCache Pro).
rec-drive-sandisk-ultra-3d-500gb = 64-слойная BiCS3 TLC с четырёхканальным контроллером Marvell; вся
    запись проходит через многоуровневый SLC-кэш и переносится в TLC копированием внутри кристалла.
rec-drive-wd-blue-3d-500gb = { rec-drive-sandisk-ultra-3d-500gb }
rec-drive-sandisk-ultra-ii-240gb = Планарная TLC с четырёхканальным контроллером Marvell; вся запись
    проходит через статический SLC-кэш в каждом кристалле (nCache 2.0) и переносится в TLC
    копированием внутри кристалла.
rec-drive-sandisk-ultra-ii-480gb = Планарная TLC с восьмиканальным контроллером Marvell; вся запись
    проходит через статический SLC-кэш в каждом кристалле (nCache 2.0) и переносится в TLC
    копированием внутри кристалла.
rec-drive-sandisk-ultra-plus-256gb = Планарная MLC с четырёхканальным контроллером Marvell и
    небольшим объёмом DRAM; запись малыми порциями попадает в небольшой SLC-кэш (nCache).
rec-drive-toshiba-q300-240gb = 19-нм TLC с собственным контроллером Toshiba; статический SLC-кэш,
    через который проходят все данные.
rec-drive-toshiba-q300-pro-256gb = 19-нм MLC с четырёхканальным контроллером без собственной DRAM;
    любой свободный блок может записываться как SLC, так что в этом режиме доступна половина
    ёмкости.
rec-drive-transcend-ssd230-512gb = 32-слойная 3D TLC с четырёхканальным контроллером Silicon Motion;
    динамический SLC-кэш на весь массив.
rec-drive-wd-blue-2016-500gb = 15-нм TLC с четырёхканальным контроллером Marvell; статический
    SLC-кэш, а когда он заполнен — прямая запись в TLC.

## Предупреждения

rec-warning-short = { $time } × { $scale } меньше самого короткого прогона: измерение длилось 1 с;
    для осмысленных результатов выберите больший множитель длительности
rec-warning-scaled = УМЕНЬШЕНО: объём цели — { $size } (10⁹ байт), для двух наборов по { $set }
    этого мало: наборы по { $scaled }
rec-warning-response = объём цели — { $size } (10⁹ байт), область { $region } и файл { $file } на
    ней не помещаются: чтение в пределах { $reads }, файл { $less }
rec-warning-rounds = раундов — { $rounds }, записано { $written } из требуемых { $wanted } (10⁹
    байт): раньше достигнуто предельное число раундов
rec-warning-still-fast = после некоторых периодов отдыха нагрузка и в конце шла быстро: накопитель
    восстановил не меньше записанного; сколько именно, покажет больший `measure_s`
rec-warning-steady-early = состояние `{ $state }` по определению установилось, когда было записано
    { $written }, меньше ёмкости накопителя: он может ещё замедлиться
rec-warning-repeats = всего раундов — { $rounds }, из них { $repeated } не моделировались: они
    приняты такими же, как предыдущий, с тем же износом; на небольших накопителях это сдвинуло
    конец менее чем на 2 %
rec-warning-not-worn = в пределах лимита не изношен: записано { $written } из разрешённых
    { $allowed }, и цель приняла каждую запись; её ресурс неизвестен
rec-warning-broken-off = прервано и продолжено: записано до { $bytes } больше, чем показывают
    раунды; они входят в лимит
rec-warning-host = { $what }, которые эта машина выполняет вообще без накопителя (движок fio null,
    { $threads }): это предел хоста, а не накопителя; измеряйте на более быстрой или менее занятой
    машине
rec-why-written = записано { $write }, а прочитано лишь { $read }
rec-not-measured = не измерено: { $why }

## Части названий заданий и перечислений

rec-piece-random-read = случайное чтение
rec-piece-random-write = случайная запись
rec-piece-sequential-read = последовательное чтение
rec-piece-sequential-write = последовательная запись
rec-piece-random-share = случайный доступ, { $share } % чтения
rec-piece-sequential-share = последовательный доступ, { $share } % чтения
rec-piece-beside = одновременно { $load }
rec-piece-depth = глубина очереди { $depth }
rec-piece-region = в пределах { $region }
rec-piece-threads = { $threads ->
        [one] { $threads } поток
        [few] { $threads } потока
       *[many] { $threads } потоков
    }
rec-piece-pass = проход { $pass } из { $passes }
rec-piece-discarded = незачётный проход
rec-piece-round = раунд { $round }
rec-piece-not-synced = без фиксации
rec-piece-every-write = { $sync } после каждой записи
rec-piece-every = { $sync } через каждые { $writes ->
        [one] { $writes } запись
        [few] { $writes } записи
       *[many] { $writes } записей
    }
rec-piece-copy = копирование: `{ $set }`
rec-piece-archive = архивация: `{ $set }`
rec-piece-unarchive = распаковка: `{ $set }`
rec-piece-reading-all = чтение всего объёма
rec-figure-years = { $count ->
    [one] { $count } год
    [few] { $count } года
    [many] { $count } лет
   *[other] { $count } года
}
rec-figure-days = { $count ->
    [one] { $count } день
    [few] { $count } дня
    [many] { $count } дней
   *[other] { $count } дня
}
rec-piece-too-large = { $size } (больше объёма цели)
rec-piece-one-test = 1 тест
rec-piece-tests = тестов: { $tests }
rec-piece-samples = отсчётов: { $count } из { $all }

## Группы проверок при определении внутреннего устройства

rec-probe-unwritten = чтение места, которое никогда не записывалось
rec-probe-new-data = чтение только что записанного
rec-probe-mixed = одновременные чтение и запись
rec-probe-burst = первая запись после отдыха
rec-probe-map = чтение по месту, когда записана часть накопителя
rec-probe-emptying = запись после отдыха
rec-probe-fill = запись всего накопителя
rec-probe-closer = чтения по местам у конца кэша
rec-probe-settled = чтение после отдыха
rec-probe-scaling = чтение с растущей глубиной и на растущих участках
rec-probe-pairs = пары чтений
rec-probe-long-reads = чтение в течение минут
rec-probe-durable = сбросы и запись меньше страницы
rec-probe-trim-time = TRIM части накопителя
rec-probe-full = запись на заполненный накопитель
rec-probe-random = случайная запись
rec-probe-after = отдых и TRIM после случайной записи

## Пределы показателей и значения
rec-warning-unwritten = { $count } из { $reads } чтений относятся к месту, которое никогда не
    записывалось: там накопителю нечего читать, и он отвечает быстрее, чем читает данные; сначала
    заполните его
rec-warning-late = { $late } из { $all } запросов выданы более чем на { $limit } мс позже своего
    времени, самый поздний — на { $ms } мс: цель получила не нагрузку трассы, а растянутую во
    времени
rec-limit-no-trim = модель накопителя не поддерживает TRIM (trim.enabled): запросы TRIM ничего не
    изменили ({ $trims })
rec-fact-value-history = { $hash } (хеш всей истории)
rec-value-not-reported = не сообщается
rec-place-value-no-punching = не поддерживается: файловая система не может освободить место внутри
    файла
rec-place-value-trim-not-tried = не проверялось: файл только читается
rec-place-value-trim-not-passed = место файла освобождается в файловой системе, которая не передаёт
    TRIM накопителю сразу (смонтирована без discard)
rec-place-value-no-trim = не поддерживается (discard_max_bytes равен 0)
rec-place-value-trim-not-known = неизвестно (в sysfs нет discard_max_bytes)
rec-place-value-libaio = libaio, direct=1 (io_uring здесь не работает)
rec-place-value-psync = psync, direct=1 (ни io_uring, ни libaio здесь не работают: глубина любой
    очереди равна 1)
rec-limit-whole-ms = в журнале fio окончания запросов указаны в целых миллисекундах: моменты выдачи,
    а с ними время занятости и опоздания — оценка с точностью около 1 мс на период занятости
rec-limit-trims = пропущено команд TRIM: { $count }; fio 3.33 не умеет их воспроизводить
rec-limit-fua = записей, выданных без FUA: { $count }; формат iolog программы fio этого не передаёт
rec-limit-flushes = сбросов кэша: { $count }; fio не записывает их задержку, и во время занятости
    они не входят
rec-limit-missing = запросов, не вошедших в показатели: { $count }; fio завершилась раньше, чем
    дождалась их окончания
rec-limit-widened = запросов, расширенных до целых секторов: { $count } (устройство не принимает
    частей сектора)
rec-limit-depth = psync: одновременно выполнялось не более 1 запроса
rec-limit-inodes = каталоги и индексные дескрипторы могли оставаться в памяти машины: сбросить их
    может только root
rec-limit-deflate = из { $whole } вычтено { $deflate } работы Deflate; накопитель мог в это время
    работать, поэтому скорость — верхняя граница
rec-slow-link-drive = { $now }, а накопитель может { $better }
rec-slow-link-faster-port = { $now }, а с более быстрым портом накопитель может { $better }
rec-slow-link-port = { $now }, а порт может { $better }
rec-named = { $name }: { $what }
rec-warning-cache = { $why }: вместо накопителя ответил кэш хоста или часть файла, которая никогда
    не записывалась; это не показатели накопителя. Измеряйте само блочное устройство или файл в
    несколько раз больше памяти хоста
rec-warning-fault = один из запросов ждал ответа { $time }: накопитель, его интерфейс или кабель могут
    быть неисправны, и результаты этого теста говорят об этом. Посмотрите журнал ядра и состояние
    накопителя и повторите измерение
rec-warning-fault-simulated = один из запросов ждал ответа { $time }: результаты этого теста говорят об этом,
    а не о скорости
rec-warning-silence = цель { $time } не завершала ни одного запроса: накопитель, его интерфейс или кабель
    могут быть неисправны, и это время входит в результаты. Посмотрите журнал ядра и состояние
    накопителя и повторите измерение
rec-warning-silences = цель не завершала ни одного запроса, таких раз: { $times }, дольше всего { $time };
    накопитель, его интерфейс или кабель могут быть неисправны, и это время входит в результаты.
    Посмотрите журнал ядра и состояние накопителя и повторите измерение
rec-warning-quick = чтение за { $time }, а быстрее { $least } не отвечает ни один накопитель: вместо него
    ответил кэш компьютера или loop-устройство без прямого ввода-вывода
rec-warning-link = { $speed } — больше, чем пропускает подключение накопителя ({ $link }: не более
    { $most }): вместо накопителя ответило что-то другое, например кэш хоста или контроллера
rec-why-random = { $speed } — больше, чем при последовательном доступе с тем же объёмом запросов в
    работе ({ $load }: { $best })
rec-needs-file = сначала он записывает свой файл
rec-needs-written-drive = он продолжается на записанном накопителе и выдаёт TRIM
rec-needs-trim = он измеряет восстановление с помощью TRIM
rec-needs-writes = он записывает
rec-needs-trim-and-rests = он измеряет восстановление за время отдыха после TRIM
rec-needs-files = он создаёт файлы
rec-needs-traces = его трассы записывают
rec-needs-deletion = он записывает файл и освобождает его место командой TRIM
rec-needs-trim-of-file = он измеряет чтение, пока место файла освобождается командой TRIM
rec-needs-writing-points = каждая его точка записывает или смешивает
rec-warning-state-without-trim = он начинается с состояния, подготовленного без TRIM, которого цель
    не принимает: для накопителя всё, что на него когда-либо записали, — данные
rec-warning-left-out-read-only = пропущен: { $what }, а цель открыта с --read-only
rec-warning-left-out-no-trim = пропущен: { $what }, а цель не принимает TRIM
rec-warning-not-saved = сделанное не удалось сохранить: { $problem }
rec-warning-state-not-steady = состояние `{ $state }` должно было установиться, но не установилось:
    { $how }
rec-warning-region = область { $region } больше объёма цели: использован весь её объём, { $size }
    ({ $unit } байт)
rec-warning-early-end-bytes = у кривой `{ $curve }` есть отсчёты для { $written } из { $range }
    байт: журнал цели обрывается; остального нет
rec-warning-early-end = у кривой `{ $curve }` есть отсчёты для { $end } из { $planned }: журнал цели
    обрывается; показатели её конца относятся к этому моменту
rec-warning-ended = { $name }: закончено через { $ended } из { $planned }, { $why }
rec-ended-settled = так как скорость установилась: раундов — { $rounds } по { $seconds } с, различие
    между ними не более { $spread } %, изменение не более { $drift } %
rec-ended-start = так как нужно только начало
rec-ended-with-room = { $settled }, и в накопителе хватает места на остаток, прежде чем ему придётся
    переносить данные
rec-ended-fallen = так как она упала к концу первой кривой, { $iops } IOPS, или не поднималась выше
    него
rec-host-limit = { $kib } КиБ, глубина очереди { $depth } × { $threads }: { $iops } IOPS, { $speed }
    МБ/с
rec-host-limit-busy = { $limit }, занято { $share } % времени всех процессоров
rec-near-iops = { $iops } IOPS близки к { $limit }
rec-near-speed = { $speed } МБ/с близки к { $limit }
rec-state-until-steady = `{ $state }`, затем случайная запись блоками { $block } с глубиной очереди
    32 раундами по { $time }, пока скорость не установится, не более { $rounds } раундов
rec-warning-no-health = состояние цели во время теста неизвестно: { $why }
rec-warning-afterwards = неизвестно, можно ли ещё записывать на цель и читать с неё: { $error }
rec-piece-written = записано { $bytes }
rec-piece-written-so-far = уже записано { $bytes }
rec-warning-no-file-system = не измерено: для работы с файлами нужна файловая система, а цель — файл
    или устройство; чтобы измерить, создайте на накопителе файловую систему, смонтируйте её и
    проверьте каталог на ней: stend review DIR --size SIZE
rec-warning-one-target = одна цель: перед каждым следующим отдыхом нагрузка снова замедляла её,
    поэтому отдых начинается с похожих медленных состояний, а не с одного и того же
rec-warning-part = только часть теста: запрошено точек — { $there } из { $all }; выводы из целого
    теста из них не следуют
rec-warning-left-out-point = одна точка этого теста, которая записывает, пропущена: цель открыта с
    --read-only
rec-warning-below-sector = пропущено: запросы по { $block } байт не кратны сектору цели, { $sector } байт,
    и цель такие запросы отклоняет
rec-warning-below-sector-point = одна точка этого теста пропущена: размер её блока не кратен сектору
    цели, { $sector } байт, и цель такие запросы отклоняет
rec-warning-below-sector-points = пропущено точек этого теста: { $points }; размеры их блоков не
    кратны сектору цели, { $sector } байт, и цель такие запросы отклоняет
rec-warning-left-out-points = пропущено точек этого теста, которые записывают или смешивают:
    { $points }; цель открыта с --read-only
rec-piece-rounds = раундов: { $rounds }
rec-warning-not-steady = установившееся состояние не достигнуто (раундов — { $rounds }, определение
    допускает { $allowed }): результаты относятся к последним раундам, их { $window }, и не являются
    установившимися
rec-warning-halves = область { $region } больше половины цели: записи и запросы рядом с ними
    получают по половине цели
rec-warning-moved = { $moved } из { $all } запросов перенесены или расширены, чтобы уместиться на
    цели объёмом { $size } (10⁹ байт)
rec-limit-synthesised = синтезированная трасса настольного ПК, начальное число { $seed }: итоги
    { $totals }, структура { $structure }
rec-totals-published = опубликованы
rec-totals-assumed = предположены
rec-structure-public-totals = предположена: исходная трасса не опубликована; размеры, порядок,
    места, серии и паузы выбраны по тому, как работают такие программы
rec-structure-assumed = предположена: в основном небольшие чтения с малой глубиной очереди; ожидания
    процессора и памяти пропущены, так что запросы воспроизводятся один за другим
rec-limit-original-times = воспроизведено в исходном темпе: fio не умеет пропускать простой; во
    время занятости он не входит
rec-limit-beginning = только начало: первые { $share } % трассы, { $part } из { $whole } запросов
rec-figure = { $figure }
rec-controller-demonstration = демонстрационный
rec-condition-version = версия
rec-condition-price = цена
