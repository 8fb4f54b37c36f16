# Единицы; ключ составлен из обозначения, которое использует программа.

unit-IOPS = IOPS
unit-MB-per-s = МБ/с
unit-B = Б
unit-KB = КБ
unit-MB = МБ
unit-GB = ГБ
unit-TB = ТБ
unit-KiB = КиБ
unit-MiB = МиБ
unit-GiB = ГиБ
unit-ns = нс
unit-us = мкс
unit-ms = мс
unit-s = с
unit-min = мин
unit-h = ч
unit-J = Дж
unit-W = Вт
unit-mW = мВт
