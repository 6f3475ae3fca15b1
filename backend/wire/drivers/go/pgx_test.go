// Package drivers tests pgx through the wire port.
package drivers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

const connections = 2

func connect(t *testing.T, adapt ...func(*pgx.ConnConfig)) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig("sslmode=disable connect_timeout=10")
	must(t, err)
	for _, each := range adapt {
		each(config)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func one[T any](t *testing.T, from querier, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := from.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func state(err error) string {
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return fmt.Sprintf("no SQLSTATE: %v", err)
}

func table(t *testing.T, name, columns string) {
	conn := connect(t)
	run(t, conn, "drop table if exists "+name)
	run(t, conn, "create table "+name+" ("+columns+")")
}

// backends holds every connection of the domain's pool, so that a test can say which of them the next transaction gets.
type backends map[int]*pgx.Conn

func hold(t *testing.T) backends {
	held := backends{}
	for range connections {
		conn := connect(t)
		run(t, conn, "begin")
		held[one[int](t, conn, "select pg_backend_pid()")] = conn
	}
	equal(t, len(held), connections)
	return held
}

// only has one backend free while the work lasts.
func (held backends) only(t *testing.T, backend int, work func()) {
	t.Helper()
	conn := held[backend]
	run(t, conn, "rollback")
	work()
	run(t, conn, "begin")
	equal(t, one[int](t, conn, "select pg_backend_pid()"), backend)
}

func untilAsleep(t *testing.T, conn *pgx.Conn, mark string) {
	for one[int](t, conn, "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and strpos(query, $1) > 0", mark) == 0 {
	}
}

func TestValuesComeBackAsTheyWent(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)
	two := int32(2)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t)
			for range 3 {
				var (
					big     int64
					text    string
					raw     []byte
					at      time.Time
					numbers []*int32
					json    map[string]any
					nothing *string
					yes     bool
					numeric pgtype.Numeric
				)
				err := conn.QueryRow(t.Context(),
					"select $1::int8, $2::text, $3::bytea, $4::timestamptz, $5::int4[], $6::jsonb, $7::text, $8::bool, 1.50::numeric",
					mode, int64(1)<<62+1, "grüß 'dich' \\ \n", all, noon, []*int32{nil, &two}, `{"a": "ü"}`, nil, true,
				).Scan(&big, &text, &raw, &at, &numbers, &json, &nothing, &yes, &numeric)
				must(t, err)
				equal(t, big, int64(1)<<62+1)
				equal(t, text, "grüß 'dich' \\ \n")
				equal(t, raw, all)
				equal(t, at.UTC(), noon)
				equal(t, numbers, []*int32{nil, &two})
				equal(t, json, map[string]any{"a": "ü"})
				equal(t, nothing, nil)
				equal(t, yes, true)
				equal(t, numeric.Int.Int64(), int64(150))
			}
			much := bytes.Repeat(all, 12_000)
			equal(t, bytes.Equal(one[[]byte](t, conn, "select $1::bytea", mode, much), much), true)
		})
	}
}

func TestAnErrorHasItsStateAndEndsNothingElse(t *testing.T) {
	table(t, "pgx_errors", "id int constraint pgx_positive check (id > 0)")
	conn := connect(t)
	for range 2 {
		var answer int
		equal(t, state(conn.QueryRow(t.Context(), "select 1 / $1::int", 0).Scan(&answer)), "22012")
		_, err := conn.Exec(t.Context(), "insert into pgx_errors values ($1)", -1)
		var failed *pgconn.PgError
		equal(t, errors.As(err, &failed) && failed.ConstraintName == "pgx_positive", true)
		_, err = conn.Exec(t.Context(), "selekt $1", 1)
		equal(t, state(err), "42601")
		equal(t, one[int](t, conn, "select 6 / $1::int", 2), 3)
	}
}

func TestTransactionsAndSavepoints(t *testing.T) {
	table(t, "pgx_rows", "id int")
	conn := connect(t)
	err := pgx.BeginTxFunc(t.Context(), conn, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "insert into pgx_rows values ($1)", 1); err != nil {
			return err
		}
		nested := pgx.BeginFunc(t.Context(), tx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "insert into pgx_rows values ($1)", 2); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), "select 1 / $1::int", 0)
			return err
		})
		equal(t, state(nested), "22012")
		_, err := tx.Exec(t.Context(), "insert into pgx_rows values ($1)", 3)
		return err
	})
	must(t, err)
	tx, err := conn.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "select * from pgx_nowhere")
	equal(t, state(err), "42P01")
	_, err = tx.Exec(t.Context(), "select 1")
	equal(t, state(err), "25P02")
	must(t, tx.Rollback(t.Context()))
	equal(t, one[[]int32](t, conn, "select array_agg(id order by id) from pgx_rows"), []int32{1, 3})
}

func TestPreparedStatementsFollowToEveryConnection(t *testing.T) {
	held := hold(t)
	conn := connect(t)
	held.only(t, first(held), func() {
		_, err := conn.Prepare(t.Context(), "doubled", "select pg_backend_pid() + 0 * $1::int")
		must(t, err)
	})
	for n := range 3 {
		for backend := range held {
			held.only(t, backend, func() {
				equal(t, one[int](t, conn, "doubled", n), backend)
				equal(t, one[int](t, conn, "select pg_backend_pid() + $1::int", n), backend+n) // cached by the driver
			})
		}
	}
}

func first(held backends) int {
	for backend := range held {
		return backend
	}
	panic("none is held")
}

func TestStatementsThatTheDriverGivesUpLeaveTheOthers(t *testing.T) {
	held := hold(t)
	conn := connect(t, func(config *pgx.ConnConfig) { config.StatementCacheCapacity = 3 })
	for n := range 4 {
		for backend := range held {
			held.only(t, backend, func() {
				for k := range 5 {
					equal(t, one[int](t, conn, fmt.Sprintf("select %d + $1::int", k), n), k+n)
				}
			})
		}
	}
	held.only(t, first(held), func() {
		must(t, conn.DeallocateAll(t.Context()))
		equal(t, one[int](t, conn, "select 1 + $1::int", 1), 2)
	})
}

// The driver fails once, drops its statement, and prepares the same text once more: then it must be a new one.
func TestATableThatChangesIsPreparedForAnew(t *testing.T) {
	table(t, "pgx_changing", "id int")
	held := hold(t)
	conn, changer := connect(t), connect(t)
	read := func() ([]string, error) {
		rows, err := conn.Query(t.Context(), "select * from pgx_changing where $1::int is null", nil)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
			values, err := row.Values()
			return fmt.Sprint(values...), err
		})
	}
	for backend := range held {
		held.only(t, backend, func() {
			rows, err := read()
			must(t, err)
			equal(t, len(rows), 0)
		})
	}
	held.only(t, first(held), func() {
		run(t, changer, "insert into pgx_changing values (1)")
		run(t, changer, "alter table pgx_changing add column name text default 'new'")
	})
	for backend := range held {
		held.only(t, backend, func() {
			for attempt := 0; ; attempt++ {
				rows, err := read()
				if err != nil && attempt == 0 {
					equal(t, state(err), "0A000")
					continue
				}
				must(t, err)
				equal(t, rows, []string{"1new"})
				return
			}
		})
	}
}

func TestCopiesInAndOut(t *testing.T) {
	table(t, "pgx_copied", "id int8, filler text")
	conn := connect(t)
	const count = 50_000
	copied, err := conn.CopyFrom(t.Context(), pgx.Identifier{"pgx_copied"}, []string{"id", "filler"},
		pgx.CopyFromSlice(count, func(n int) ([]any, error) { return []any{int64(n), fmt.Sprint("row ", n)}, nil }))
	must(t, err)
	equal(t, copied, int64(count))
	var out bytes.Buffer
	tag, err := conn.PgConn().CopyTo(t.Context(), &out, "copy (select * from pgx_copied order by id) to stdout")
	must(t, err)
	equal(t, tag.RowsAffected(), int64(count))
	equal(t, strings.HasSuffix(out.String(), "\n49999\trow 49999\n"), true)

	_, err = conn.PgConn().CopyFrom(t.Context(), strings.NewReader(strings.Repeat("no number\n", 200_000)), "copy pgx_copied from stdin")
	equal(t, state(err), "22P02")
	givenUp := errors.New("given up")
	_, err = conn.CopyFrom(t.Context(), pgx.Identifier{"pgx_copied"}, []string{"id", "filler"},
		pgx.CopyFromFunc(func() ([]any, error) { return nil, givenUp }))
	equal(t, err != nil, true)
	equal(t, one[int](t, conn, "select count(*) from pgx_copied"), count)
}

func TestCancelsWhatRuns(t *testing.T) {
	conn := connect(t, func(config *pgx.ConnConfig) {
		config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 20 * time.Second}
		}
	})
	watcher := connect(t)
	for _, query := range []string{"select pg_sleep(60) /* pgx cancels */", "select pg_sleep($1) /* pgx cancels */"} {
		cancelled, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			untilAsleep(t, watcher, "pgx cancels")
		}()
		var err error
		if strings.Contains(query, "$1") {
			_, err = conn.Exec(cancelled, query, 60)
		} else {
			_, err = conn.Exec(cancelled, query)
		}
		equal(t, state(err), "57014")
		equal(t, one[int](t, conn, "select 1"), 1)
	}
}

// Without the handler above the driver gives the connection up; the pool behind must not suffer.
func TestADeadlineGivesTheConnectionBack(t *testing.T) {
	for range 3 * connections {
		conn := connect(t)
		late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := conn.Exec(late, "select pg_sleep(60)")
		cancel()
		equal(t, err != nil, true)
	}
	equal(t, len(hold(t)), connections)
}

func TestBatches(t *testing.T) {
	table(t, "pgx_batched", "id int primary key")
	conn := connect(t)
	batch := &pgx.Batch{}
	for n := range 200 {
		batch.Queue("insert into pgx_batched values ($1)", n)
		batch.Queue("select $1::int + 1, repeat('x', 100)", n).QueryRow(func(row pgx.Row) error {
			var next int
			var filler string
			err := row.Scan(&next, &filler)
			if err == nil && next != n+1 {
				err = fmt.Errorf("%d does not come after %d", next, n)
			}
			return err
		})
	}
	must(t, conn.SendBatch(t.Context(), batch).Close())

	failing := &pgx.Batch{}
	failing.Queue("insert into pgx_batched values ($1)", 6_000)
	failing.Queue("insert into pgx_batched values ($1)", 1)
	failing.Queue("insert into pgx_batched values ($1)", 6_001)
	equal(t, state(conn.SendBatch(t.Context(), failing).Close()), "23505")
	equal(t, one[int](t, conn, "select count(*) from pgx_batched"), 200)
}

func TestPipelinesWithFlush(t *testing.T) {
	held := hold(t)
	conn := connect(t)
	for backend := range held {
		held.only(t, backend, func() {
			pipeline := conn.PgConn().StartPipeline(t.Context())
			for range 3 {
				pipeline.SendQueryParams("select pg_backend_pid()", nil, nil, nil, nil)
				pipeline.SendFlushRequest()
				must(t, pipeline.Flush())
				results, err := pipeline.GetResults()
				must(t, err)
				result := results.(*pgconn.ResultReader).Read()
				must(t, result.Err)
				equal(t, string(result.Rows[0][0]), fmt.Sprint(backend))
			}
			must(t, pipeline.Sync())
			_, err := pipeline.GetResults()
			must(t, err)
			must(t, pipeline.Close())
		})
	}
}

func TestSettingsFollowTheClientAndNobodyElse(t *testing.T) {
	mine := map[string]string{"application_name": "pgx's", "search_path": "pg_catalog", "TimeZone": "Asia/Tokyo"}
	conn := connect(t, func(config *pgx.ConnConfig) {
		for name, value := range mine {
			config.RuntimeParams[name] = value
		}
	})
	other := connect(t)
	held := hold(t)
	setting := func(from *pgx.Conn, name string) string { return one[string](t, from, "select current_setting($1)", name) }
	theirs := map[string]string{"work_mem": "4MB"}
	held.only(t, first(held), func() {
		for name := range mine {
			theirs[name] = setting(other, name)
		}
		run(t, conn, "set work_mem = '7MB'")
	})
	mine["work_mem"] = "7MB"
	for backend := range held {
		held.only(t, backend, func() {
			for name := range mine {
				equal(t, setting(conn, name), mine[name])
				equal(t, setting(other, name), theirs[name])
			}
		})
	}
}

// Named, as the driver does with what is asked for by Query: executed again, it is not parsed again.
func TestASetThatIsPreparedCountsWheneverItIsExecuted(t *testing.T) {
	held := hold(t)
	conn, stranger := connect(t), connect(t)
	for range 2 {
		for _, size := range []string{"7MB", "8MB"} {
			held.only(t, first(held), func() {
				rows, err := conn.Query(t.Context(), "set work_mem = '"+size+"'", pgx.QueryExecModeCacheStatement)
				must(t, err)
				rows.Close()
				must(t, rows.Err())
			})
			for backend := range held {
				held.only(t, backend, func() {
					equal(t, one[string](t, conn, "show work_mem"), size)
					equal(t, one[string](t, stranger, "show work_mem"), "4MB")
				})
			}
		}
	}
}

func TestNotificationsReachWhoListensAndIsIdle(t *testing.T) {
	listener, speaker := connect(t), connect(t)
	run(t, listener, "listen pgx_news")
	for n := range 3 {
		run(t, speaker, "select pg_notify('pgx_news', $1)", fmt.Sprint(n))
		patient, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		heard, err := listener.WaitForNotification(patient)
		cancel()
		must(t, err)
		equal(t, heard.Payload, fmt.Sprint(n))
	}
	equal(t, one[int](t, listener, "select 1"), 1)
}

func TestTwentyClientsShareTwoConnections(t *testing.T) {
	table(t, "pgx_balances", "id int primary key, balance int8 not null")
	config, err := pgxpool.ParseConfig("sslmode=disable pool_max_conns=20 pool_min_conns=20")
	must(t, err)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	defer pool.Close()
	work := func(me int) error {
		if _, err := pool.Exec(t.Context(), "insert into pgx_balances values ($1, 0)", me); err != nil {
			return err
		}
		for n := range 15 {
			if _, err := pool.Exec(t.Context(), "update pgx_balances set balance = balance + $1 where id = $2", n, me); err != nil {
				return err
			}
			undone := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(t.Context(), "update pgx_balances set balance = 0 where id = $1", me); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), "select 1 / $1::int", 0)
				return err
			})
			if state(undone) != "22012" {
				return undone
			}
			batch := &pgx.Batch{}
			for range 3 {
				batch.Queue("update pgx_balances set balance = balance + $1 where id = $2", 1, me)
			}
			if err := pool.SendBatch(t.Context(), batch).Close(); err != nil {
				return err
			}
		}
		var balance int
		if err := pool.QueryRow(t.Context(), "select balance from pgx_balances where id = $1", me).Scan(&balance); err != nil {
			return err
		}
		if balance != 105+45 {
			return fmt.Errorf("client %d has %d", me, balance)
		}
		return nil
	}
	var clients sync.WaitGroup
	failures := make([]error, 20)
	for me := range failures {
		clients.Go(func() { failures[me] = work(me) })
	}
	clients.Wait()
	must(t, errors.Join(failures...))
}
