import { describe, expect, it } from "vitest";
import { type AnswerRecord, cells, readRecords, readWhole } from "./records";

const ANSWER = `{"columns":[{"name":"id","type":"int4"},{"name":"title","type":"text"}]}
[1,"Ein schöner Wecker ⏰ 🦊"]
[2,null]
{"done":{"rows":2,"command":"SELECT"}}
{"end":{"rows":2,"elapsedMs":1.204,"waitedMs":0.012,"connection":"auction-4"}}
`;

function stream(chunks: readonly Uint8Array[], broken = false): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (broken) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

async function read(body: ReadableStream<Uint8Array>): Promise<AnswerRecord[]> {
  const records: AnswerRecord[] = [];
  for await (const some of readRecords(body)) records.push(...some);
  return records;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const rows = (records: AnswerRecord[]) => records.flatMap((record) => ("row" in record ? [record.row] : []));

describe("an answer's records", () => {
  it("are the same wherever the chunks are cut, within a character too", async () => {
    const whole = bytes(ANSWER);
    const expected = await read(stream([whole]));
    expect(expected).toHaveLength(5);
    expect(rows(expected)).toEqual([
      ["1", "Ein schöner Wecker ⏰ 🦊"],
      ["2", null],
    ]);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(await read(stream([whole.slice(0, cut), whole.slice(cut)])), `cut at ${cut}`).toEqual(expected);
    }
    expect(await read(stream([...whole].map((byte) => Uint8Array.of(byte))))).toEqual(expected);
  });

  it("come as soon as their line is complete", async () => {
    let controller = null as unknown as ReadableStreamDefaultController<Uint8Array>;
    const records = readRecords(
      new ReadableStream({
        start(c) {
          controller = c;
        },
      }),
    );
    controller.enqueue(bytes('{"columns":[{"name":"a","type":"int4"}]}\n[1]\n[2'));
    expect(rows((await records.next()).value as AnswerRecord[])).toEqual([["1"]]);
    controller.enqueue(bytes("3]\n"));
    expect(rows((await records.next()).value as AnswerRecord[])).toEqual([["23"]]);
  });

  it("do not include a line that is cut off", async () => {
    const records = await read(stream([bytes(ANSWER.slice(0, -2))]));
    expect(records).toHaveLength(4);
    expect(records.some((record) => "end" in record)).toBe(false);
  });

  it("end with what breaks the connection", async () => {
    const records = readRecords(stream([bytes(ANSWER.slice(0, 80))], true));
    await records.next();
    await expect(records.next()).rejects.toThrow("network error");
  });

  it("of several statements name theirs", async () => {
    const text = `{"columns":[{"name":"a","type":"jsonb"}],"statement":0}
["x"]
{"done":{"rows":1,"command":"SELECT"},"statement":0}
{"error":{"code":"22012","message":"division by zero"},"statement":1}
{"columns":[{"name":"a","type":"text"}],"statement":2}
["x"]
{"done":{"rows":1,"command":"SELECT","limited":true},"statement":2}
{"end":{"rows":2,"elapsedMs":3,"waitedMs":0,"connection":"bank-1"}}
`;
    const records = await read(stream([bytes(text)]));
    expect(records.map((record) => ("statement" in record ? record.statement : undefined))).toEqual([
      0,
      undefined,
      0,
      1,
      2,
      undefined,
      2,
      undefined,
    ]);
    expect(rows(records)).toEqual([['"x"'], ["x"]]);
  });
});

describe("an answer of one object", () => {
  const whole = `{"results":[{"columns":[{"name":"id","type":"int4"},{"name":"title","type":"text"},{"name":"tags","type":"_text"}],
    "data":[[1,"ä",["x"]],[2,null,[]]],"rows":2,"command":"SELECT"}],
    "end":{"rows":2,"elapsedMs":1.2,"waitedMs":0,"connection":"bank-1"}}\n`;

  it("has the records of any other, all at once", async () => {
    const all = [];
    for await (const records of readWhole(stream([bytes(whole.slice(0, 90)), bytes(whole.slice(90))])))
      all.push(records);
    expect(all).toEqual([
      [
        { columns: expect.arrayContaining([{ name: "id", type: "int4" }]), statement: 0 },
        { row: ["1", "ä", '["x"]'], size: 7 },
        { row: ["2", null, "[]"], size: 3 },
        { done: { rows: 2, command: "SELECT" }, statement: 0 },
        { end: { rows: 2, elapsedMs: 1.2, waitedMs: 0, connection: "bank-1" } },
      ],
    ]);
  });

  it("has none if it is cut off", async () => {
    await expect(readWhole(stream([bytes(whole.slice(0, -3))])).next()).rejects.toThrow(SyntaxError);
    await expect(readWhole(stream([bytes(whole)], true)).next()).rejects.toThrow("network error");
  });
});

describe("a row's cells", () => {
  it("are texts, and null for NULL", () => {
    expect(cells('[1,-2.5e-7,true,null,"","a\\"b\\n\\u00e4","null"]', [])).toEqual([
      "1",
      "-2.5e-7",
      "true",
      null,
      "",
      'a"b\nä',
      "null",
    ]);
    expect(cells("[]", [])).toEqual([]);
  });

  it("keep JSON and arrays as they are written", () => {
    const json = '{"a": [1, 12345678901234567890], "b": "]}\\""}';
    expect(cells(`[  ${json} ,[1,[2,"]"]], 1.00 ]`, [true, false, true])).toEqual([json, '[1,[2,"]"]]', "1.00"]);
  });

  it("must be complete", () => {
    for (const row of ["[1", '["a', "[[1]", '["a" "b"]']) expect(() => cells(row, []), row).toThrow(SyntaxError);
  });
});
