# Нагрузки: порядок и направление обозначены ключами (random, sequential; read, write, mixed).

load-op = { $op ->
    [read] чтение
    [write] запись
   *[mixed] смешанная нагрузка
}
load-pattern-op = { $pattern ->
    [random] { $op ->
        [read] случайное чтение
        [write] случайная запись
       *[mixed] случайная смешанная нагрузка
    }
   *[sequential] { $op ->
        [read] последовательное чтение
        [write] последовательная запись
       *[mixed] последовательная смешанная нагрузка
    }
}
load-pattern-and-op = { load-pattern-op }
private-pattern-op-share = { $op ->
    [mixed] { $pattern ->
        [random] случайный доступ, { $share } % чтения
       *[sequential] последовательный доступ, { $share } % чтения
    }
   *[other] { load-pattern-op }
}
dimension-block = размер блока
dimension-depth = глубина очереди
dimension-share = доля чтения
dimension-threads = число потоков
value-depth = глубина { $depth }
value-share = { $share } % чтения
value-threads = { $threads ->
    [one] { $threads } поток
    [few] { $threads } потока
   *[many] { $threads } потоков
}

## Слова при числах

figure-capacities = { $number } × объём накопителя
times = { $count ->
    [one] { $number } раз
    [few] { $number } раза
    [many] { $number } раз
   *[other] { $number } раза
}
fold = { $count ->
    [one] в { $number } раз
    [few] в { $number } раза
    [many] в { $number } раз
   *[other] в { $number } раза
}
percentile-median = медиана
percentile = { $percent }-й перцентиль
quoted-name = «{ $name }»
