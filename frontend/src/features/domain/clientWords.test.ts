import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import type { WireClient } from "@/api/types";
import { address, nameFault, psqlLine, servedAs } from "./clientWords";

const client = (name: string, connected: number): WireClient => ({
  name,
  createdAt: "2026-11-21T12:00:00Z",
  createdBy: "admin",
  connected,
});

describe("clients of a domain", () => {
  it("are summed beside the most that may be", () => {
    expect(
      servedAs({ mode: "transaction", maxClients: 1000, sessionState: "pin", unnamedStatements: "auto" }, [
        client("a", 2),
        client("b", 1),
      ]),
    ).toBe("transaction mode, 3 of 1,000 connected");
    expect(servedAs({ mode: "session", maxClients: 20, sessionState: "refuse", unnamedStatements: "auto" }, [])).toBe(
      "session mode, 0 of 20 connected",
    );
    expect(servedAs({ mode: "statement", maxClients: 20, sessionState: "refuse", unnamedStatements: "auto" }, [])).toBe(
      "statement mode, session state refused, 0 of 20 connected",
    );
  });

  it("connect to a URI, also where the host is an IPv6 address", () => {
    expect(address({ host: "db.example.org", port: 6432, database: "bank" })).toBe(
      "postgresql://db.example.org:6432/bank",
    );
    expect(address({ host: "::1", port: 6432, database: "bank" })).toBe("postgresql://[::1]:6432/bank");
  });

  it("connect with psql by one line, which asks for the password", () => {
    expect(psqlLine({ host: "127.0.0.1", port: 6432, database: "bank" }, "web")).toBe(
      "psql -h 127.0.0.1 -p 6432 -U web -d bank",
    );
  });

  it("have a fault at their name when it is malformed or taken, and not otherwise", () => {
    const malformed = new Problem(
      {
        type: "https://headgate.dev/problems/invalid-request",
        errors: [{ pointer: "/name", message: "must be a user's name, was -" }],
      },
      422,
    );
    const taken = new Problem({ type: "https://headgate.dev/problems/conflict", detail: "There is one already." }, 409);
    expect(nameFault(malformed)).toBe("must be a user's name, was -");
    expect(nameFault(taken)).toBe("There is one already.");
    expect(nameFault(new Problem({ type: "https://headgate.dev/problems/internal" }, 500))).toBeUndefined();
    expect(nameFault(new TypeError("network"))).toBeUndefined();
    expect(nameFault(null)).toBeUndefined();
  });
});
