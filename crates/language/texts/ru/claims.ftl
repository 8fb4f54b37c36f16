# Проверка опубликованных выводов: что должно быть и что есть.

claims-figure-of = { $figure }: { $whom }
claims-more-than = больше, чем { $whom }
claims-less-than = меньше, чем { $whom }
claims-each-of = каждый из: { $whom }
claims-greatest-of = наибольшее из: { $whom }
claims-least-of = наименьшее из: { $whom }
claims-mean-of = среднее по: { $whom }
claims-the-rivals = { $count ->
    [one] { $count } конкурента
   *[many] { $count } конкурентов
}
claims-place = место { $place } из { $of }
claims-place-within = место с { $least } по { $most } из { $of }
claims-place-behind = место { $place } или ниже из { $of }
claims-place-first = первое из { $of }
claims-place-before = место { $place } или выше из { $of }
claims-place-any = любое место из { $of }
claims-no-figure = нет результата
claims-at-place = , место { $place }
claims-theirs = от { $least } до { $most } × их результата
claims-not-of = ; кроме { $which }
claims-needs = ; не хватает: { $what }
claims-but = ; однако { $what }
claims-about = около { $value }
claims-and = {" "}и{" "}
claims-above = больше { $value }
claims-below = меньше { $value }
claims-between = от { $least } до { $most }
claims-or-more = { $value } или больше
claims-or-less = { $value } или меньше
claims-test-of = тест { $test } накопителя { $drive }
claims-more-of-test = остальная часть теста { $test } накопителя { $drive }
claims-shows-no = { $drive }: тест не показывает «{ $figure }»
