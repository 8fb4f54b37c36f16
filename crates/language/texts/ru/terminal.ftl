# Что `stend review` и `stend compare` выводят в терминал.

terminal-review = { $drive }, редакция { $edition }
terminal-shortened = СОКРАЩЁННЫЙ ПРОГОН: длительность всех измерений × { $scale }
terminal-read-only = ТОЛЬКО ЧТЕНИЕ: ничего не записывалось, состояние накопителя осталось прежним
terminal-finding = { $title }: { $text }
terminal-unlike-load = Одна нагрузка, разные результаты: { $text }
terminal-steady = установившееся состояние перед тестом: { $how }
terminal-report = отчёт: { $path }
terminal-pdf = PDF: { $path }
terminal-side = { $drive }, прогон { $run }
terminal-side-label = { $drive }, прогон { $run }, метка { $label }
terminal-models = Различия в параметрах моделей:
terminal-same = Все известные условия совпадали.
terminal-unlike = УСЛОВИЯ РАЗЛИЧАЛИСЬ: разница может объясняться не накопителями.
terminal-not-known-of-all = известно не обо всех (см. --json): { $names }
terminal-not-measured = не измерено
terminal-level = (наравне)
terminal-against = { $first } против { $others }
