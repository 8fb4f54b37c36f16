# What a review keeps in English: titles of editions, conditions, warnings. The English text must be
# the program's own; an argument stands for whatever is at its place. See docs/languages.md.

## Titles of editions

rec-edition-2014 = 2014: the whole drive, { $time } a point
rec-edition-2015 = 2015: the whole drive, { $time } a point
rec-edition-2016a = 2016a: the whole drive, { $time } a point
rec-edition-2016b = 2016b: inside 32 GiB, { $time } a point
rec-edition-2018 = 2018: inside 32 GiB, { $time } a point
