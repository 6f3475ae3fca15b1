"""pgx 5, of Go."""

from go_module import GoModule


class Suite(GoModule):
    name = "pgx"
    module = "github.com/jackc/pgx/v5"
    version = "v5.12.0"
    preparation = """
        create extension hstore;
        create extension ltree;
        create domain uint64 as numeric(20,0);
        create user " tricky, ' } "" \\ test user " superuser password 'secret';
    """

    def environment(self, address):
        # The tests of TLS and of kinds of passwords need a pg_hba.conf of their own; without their addresses they are skipped.
        return {
            "PGX_TEST_DATABASE": address.dsn(),
            "PGX_TEST_TCP_CONN_STRING": address.dsn(),
            "PGX_TEST_PGBOUNCER_CONN_STRING": address.dsn(),
        }
