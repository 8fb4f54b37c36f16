# Страницы лаборатории, которые есть на всех языках: список обзоров, обзор, сравнение.

lab-skip = К содержанию
lab-laboratory = Лаборатория
lab-reviews = Обзоры
lab-under-way = Идут сейчас
lab-jobs = Задания
lab-drives = Накопители
lab-studies = Исследования
lab-what-if = Что если
lab-queue = Очередь

## Lists and their search

lab-text = Текст
lab-drive = Накопитель
lab-interface = Интерфейс
lab-flash = Флеш-память
lab-drive-released = Год выпуска
lab-edition = Редакция
lab-kind = Реальный или модель
lab-real = настоящий
lab-simulated = моделирование
lab-any = любой
lab-search = Найти
lab-all = все
lab-rows = с { $from } по { $to }
lab-later = более поздние
lab-earlier = более ранние
lab-beyond = Список заканчивается раньше этой страницы.
lab-show-all = Показать все

## Reviews

lab-live = Идут сейчас: { $count }
lab-empty = Лаборатория пуста.
lab-empty-file = Это файл { $path }: в нём хранятся все обзоры. Первый займёт несколько минут и не
    требует оборудования:
lab-empty-live = Пока обзор идёт, он виден здесь.
lab-empty-what-if = Посмотреть, каким был бы накопитель с другими параметрами
lab-empty-models = Посмотреть модели накопителей
lab-hint = накопитель, метка, контроллер, серийный номер, редакция …
lab-began-run = Год прогона
lab-no-run = Таких прогонов нет.
lab-runs = { $count ->
    [one] { $count } прогон
    [few] { $count } прогона
   *[other] { $count } прогонов
}
lab-list = Прогоны
lab-compare = Сравнить
lab-tests = Тесты
lab-began = Начало
lab-run = Прогон
lab-unfinished = не окончен
lab-failed = не удалось: { $count }
lab-breaks = { $count ->
    [one] { $count } перерыв
    [few] { $count } перерыва
   *[other] { $count } перерывов
}
lab-scaled = все измерения × { $scale }
lab-compare-run = Сравнить прогон { $run }, { $drive }

## The choice for a comparison

lab-elsewhere = Выбрано на других страницах
lab-run-of = прогон { $run }, { $drive }
lab-choose = Сравнить выбранные
lab-few = Сравнить: выберите от 2 до { $most }
lab-some = Сравнить выбранные ({ $chosen })
lab-many = Сравнить можно не больше { $most } прогонов, а выбрано { $chosen }: снимите отметку с лишних.

## A run, and a comparison

lab-title-run = Прогон { $run }: { $drive }
lab-about-run = редакция { $edition }, { $began }
lab-title-against = { $first } и { $others }
lab-about-sides = Прогонов в сравнении: { $count }
lab-side = прогон { $run }
lab-reference = Точка отсчёта
lab-with-it = Сравнить с ним
lab-report = Отчёт: { $title }
lab-report-alone = отчёт отдельно
lab-its-reviews = обзоры накопителя
lab-its-jobs = задания накопителя
lab-smart = история SMART
lab-the-model = модель
lab-model-of = исходная модель
lab-what-if-link = что если …

## Label and note

lab-mark = Добавить метку или заметку
lab-mark-again = Изменить метку или заметку
lab-unchanged = Ничего не изменено.
lab-label = Метка
lab-note = Заметка
lab-keep = Сохранить
lab-marks-note = Пустое поле удаляет текст. По метке прогон находит <code>stend compare</code>.
