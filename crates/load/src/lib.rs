//! fio job files, access patterns and statistics on anything that serves requests.
