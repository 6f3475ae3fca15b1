"""lib/pq, of Go."""

from go_module import GoModule


class Suite(GoModule):
    name = "pq"
    module = "github.com/lib/pq"
    version = "v1.12.3"
    preparation = "create extension hstore"
