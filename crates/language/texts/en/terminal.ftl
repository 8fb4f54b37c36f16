# What `stend review` and `stend compare` say on the terminal.

terminal-review = { $drive }, edition { $edition }
terminal-shortened = SHORTENED RUN: every measurement × { $scale }
terminal-read-only = READ-ONLY: nothing was written, and the target's state is what it was
terminal-finding = { $title }: { $text }
terminal-unlike-load = One load, several figures: { $text }
terminal-steady = steady state before it: { $how }
terminal-report = report: { $path }
terminal-pdf = pdf: { $path }
terminal-side = { $drive }, run { $run }
terminal-side-label = { $drive }, run { $run }, label { $label }
terminal-models = Differing figures of the models:
terminal-same = All known conditions were the same.
terminal-unlike = DIFFERING CONDITIONS: differences may not be the drives’.
terminal-not-known-of-all = not known of all (see --json): { $names }
terminal-not-measured = not measured
terminal-level = (level)
terminal-against = { $first } against { $others }
