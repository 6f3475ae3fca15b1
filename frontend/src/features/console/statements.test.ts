import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { namespace } from "./editorSetUp";
import { isUnexplained, placeOf, requestOf, type Sent, toExplain } from "./sent";
import { endOfWord, offsetOf, statementsToRun } from "./statements";

const TEXT = `SELECT 1;

-- the second; not two
SELECT ';' AS a,
  $$;$$ AS b;
SELECT 3`;

function toRun(anchor: number, head = anchor): string[] {
  const state = EditorState.create({
    doc: TEXT,
    selection: { anchor, head },
    extensions: sql({ dialect: PostgreSQL }),
  });
  return statementsToRun(state).map((piece) => {
    expect(TEXT.slice(piece.from)).toMatch(new RegExp(`^${piece.sql.replace(/[$|;]/g, "\\$&")}`));
    expect(TEXT.slice(0, piece.from).split("\n")).toHaveLength(piece.line);
    return piece.sql;
  });
}

const SECOND = "SELECT ';' AS a,\n  $$;$$ AS b;";

describe("what is run", () => {
  it("is the statement at the cursor, or the one before it", () => {
    expect(toRun(0)).toEqual(["SELECT 1;"]);
    expect(toRun(10)).toEqual(["SELECT 1;"]);
    expect(toRun(TEXT.indexOf("$$;") + 2)).toEqual([SECOND]);
    expect(toRun(TEXT.length)).toEqual(["SELECT 3"]);
  });

  it("is what is selected", () => {
    expect(toRun(0, TEXT.length)).toEqual(["SELECT 1;", SECOND, "SELECT 3"]);
    expect(toRun(TEXT.length, TEXT.length - 8)).toEqual(["SELECT 3"]);
    expect(toRun(7, 8)).toEqual(["1"]);
    expect(toRun(8, 11)).toEqual([]);
  });

  it.each([
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC DELETE FROM t; SELECT CASE WHEN true THEN 1 END; SELECT 2; END;",
    "create /* or */ or replace procedure p() begin atomic delete from t; end;",
    "CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM u; INSERT INTO u VALUES (2); );",
  ])("is a statement with those inside of it, and none of those alone: %s", (whole) => {
    const doc = `SELECT 1; ${whole} SELECT 3`;
    const extensions = sql({ dialect: PostgreSQL });
    for (const cursor of [doc.toUpperCase().indexOf("DELETE"), doc.indexOf(whole), doc.indexOf(" SELECT 3")]) {
      const state = EditorState.create({ doc, selection: { anchor: cursor }, extensions });
      expect(statementsToRun(state).map((piece) => piece.sql)).toEqual([whole]);
    }
    const all = EditorState.create({ doc, selection: { anchor: 0, head: doc.length }, extensions });
    expect(statementsToRun(all).map((piece) => piece.sql)).toEqual(["SELECT 1;", whole, "SELECT 3"]);
  });

  it("is nothing where there is nothing", () => {
    expect(statementsToRun(EditorState.create({ doc: " \n", extensions: sql({ dialect: PostgreSQL }) }))).toEqual([]);
  });
});

const sent = (more: Partial<Sent>): Sent => ({
  pieces: [{ sql: "SELECT 1,\n  'ü🦊', titel", from: 100, line: 7 }],
  explain: false,
  readOnly: true,
  ...more,
});

describe("a request", () => {
  it("has one statement or several", () => {
    expect(requestOf(sent({}), 10, 500)).toEqual({
      sql: "SELECT 1,\n  'ü🦊', titel",
      readOnly: true,
      maxRows: 10,
      timeoutMs: 500,
    });
    const pieces = ["SELECT 1", "SELECT 2"].map((each, i) => ({ sql: each, from: 10 * i, line: 1 }));
    expect(requestOf(sent({ pieces }), undefined, 500).statements).toEqual([{ sql: "SELECT 1" }, { sql: "SELECT 2" }]);
  });

  it("executes an explained statement only where nothing can change", () => {
    expect(requestOf(sent({ explain: true }), 10, 500).sql).toMatch(
      /^EXPLAIN \(ANALYZE, BUFFERS, FORMAT JSON\) SELECT 1/,
    );
    expect(requestOf(sent({ explain: true, readOnly: false }), 10, 500).sql).toMatch(
      /^EXPLAIN \(FORMAT JSON\) SELECT 1/,
    );
  });

  it.each([
    ["SELECT 1", "SELECT 1"],
    ["explain\n  select 1", "select 1"],
    ["EXPLAIN ANALYZE VERBOSE WITH a AS (SELECT 1) TABLE a", "WITH a AS (SELECT 1) TABLE a"],
    ["EXPLAIN (ANALYZE, BUFFERS off) (SELECT 1) UNION SELECT 2", "(SELECT 1) UNION SELECT 2"],
    ["EXPLAIN (SELECT 1)", "(SELECT 1)"],
    ["EXPLAIN ((SELECT 1))", "((SELECT 1))"],
    ["EXPLAIN SHOW all", "EXPLAIN SHOW all"],
    ["explained", "explained"],
  ])("explains what an EXPLAIN is of: %s", (written, explained) => {
    const [piece] = toExplain([{ sql: written, from: 10, line: 3 }]);
    expect(piece?.sql).toBe(explained);
    expect((piece?.from ?? 0) - 10).toBe(written.length - explained.length);
    expect(piece?.line).toBe(explained === "select 1" ? 4 : 3);
  });
});

describe("the place of an error", () => {
  it("is that in the editor, whatever the characters and what was put before", () => {
    const wanted = { from: 100 + "SELECT 1,\n  'ü🦊', ".length, to: 100 + "SELECT 1,\n  'ü🦊', titel".length, line: 8 };
    const error = (position?: number) => ({ code: "42703", message: "no such column", position });
    expect(placeOf(sent({}), 0, error(19))).toEqual(wanted);
    const explained = sent({ explain: true });
    const before = (requestOf(explained, 1, 1).sql as string).indexOf("SELECT");
    expect(placeOf(explained, 0, error(19 + before))).toEqual(wanted);
    expect(placeOf(sent({}), 0, error())).toBeNull();
    expect(placeOf(sent({}), -1, undefined)).toBeNull();
  });

  it.each([
    ["SHOW work_mem", true],
    ["EXPLAIN", true],
    ["BEGIN", true],
    ["CREATE TABLE t (as_of date)", true],
    ["CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql", true],
    ["create temp table t as select 1", false],
    ["REFRESH MATERIALIZED VIEW v", false],
    ["(SELECT 1 FROM FROM t)", false],
  ])("is none where a statement cannot be explained at all: %s", (sql, unexplained) => {
    const explained = sent({ pieces: [{ sql, from: 0, line: 1 }], explain: true });
    const error = { code: "42601", message: "syntax error", position: 60 };
    expect(isUnexplained(explained, 0, error)).toBe(unexplained);
    expect(placeOf(explained, 0, error) === null).toBe(unexplained);
    expect(isUnexplained({ ...explained, explain: false }, 0, error)).toBe(false);
    expect(isUnexplained(explained, 0, { ...error, code: "42703" })).toBe(false);
  });

  it("counts PostgreSQL's characters, and spans a word", () => {
    expect([1, 2, 3, 4].map((position) => offsetOf("a🦊b", position))).toEqual([0, 1, 3, 4]);
    expect(endOfWord("select föö_1, x", 7)).toBe(12);
    expect(endOfWord('"a b" = 1', 0)).toBe(5);
    expect(endOfWord("a = 1", 2)).toBe(3);
    expect(endOfWord("a", 1)).toBe(1);
  });
});

it("completes tables by schema, and by their bare name if that suffices", () => {
  const column = (schema: string, visible: boolean) => ({ schema, table: "item", visible, column: "id", type: "int8" });
  const id = [{ label: "id", detail: "int8", type: "property" }];
  expect(namespace([column("public", true), column("old", false)])).toEqual({
    public: { item: id },
    old: { item: id },
    item: id,
  });
});
