import { useQueryClient } from "@tanstack/react-query";
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { onUnauthenticated } from "@/api/client";
import { Problem, sentence } from "@/api/problem";
import { openSession, readSession } from "@/api/session";
import type { Session } from "@/api/types";
import { onHandshakeRefused, onStatus, resubscribe, startStream } from "@/stream/browser";
import { TextField } from "@/ui/Field";
import { MayChange } from "@/ui/role";
import { usePageTitle } from "@/ui/title";
import { takeCredential } from "./credential";
import { Mark } from "./Mark";

const SessionContext = createContext<Session | null>(null);
export const useSession = () => useContext(SessionContext);

type State =
  | { at: "entering" } // with a code or a token: there is no session yet
  | { at: "asking" }
  | { at: "in"; session: Session }
  | { at: "out"; why: string | null }
  | { at: "away" };

const WRONG_TOKEN = "This is not the token of this service.";
const SPENT = "The address was used before, or is older than an hour. ./headgate login prints another.";

/** Shows the pages if there is a session, and else the form that asks for the token. */
export function Gate({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ at: "entering" });
  const queries = useQueryClient();

  const ask = useCallback(async (quiet = false) => {
    try {
      const session = await readSession();
      setState(session ? { at: "in", session } : { at: "out", why: null });
    } catch {
      if (!quiet) setState({ at: "away" });
    }
  }, []);

  useEffect(() => {
    const credential = takeCredential(window.location, window.history);
    if (!credential) {
      setState({ at: "asking" });
      void ask();
      return;
    }
    openSession(credential).then(
      () => ask(),
      async (error) => {
        const refused = error instanceof Problem && error.status === 401;
        const session = await readSession().catch(() => null); // this browser may be signed in already
        if (refused && !session) setState({ at: "out", why: "code" in credential ? SPENT : WRONG_TOKEN });
        else await ask();
      },
    );
  }, [ask]);

  useEffect(() => {
    if (state.at !== "away") return;
    const timer = setInterval(() => void ask(), 2_000);
    return () => clearInterval(timer);
  }, [state.at, ask]);

  // The stream opens while the session is asked for: most often there is one.
  const streams = state.at === "in" || state.at === "asking";
  useEffect(() => {
    if (!streams) return;
    const stop = startStream();
    const quietly = () => void ask(true);
    let interrupted = false;
    const ends = [
      onUnauthenticated(quietly),
      onHandshakeRefused(quietly),
      onStatus((status) => {
        if (status === "unauthenticated") quietly();
        if (status === "lost") interrupted = true;
        if (status === "live" && interrupted) void queries.invalidateQueries();
      }),
    ];
    return () => {
      for (const end of ends) end();
      stop();
    };
  }, [streams, ask, queries]);

  // After the effects of the page, which say what it shows; a page that shows nothing of the stream still wants the states.
  const inside = state.at === "in";
  useEffect(() => {
    if (inside) resubscribe();
  }, [inside]);

  if (state.at === "in")
    return (
      <SessionContext value={state.session}>
        <MayChange value={state.session.role !== "reader"}>{children}</MayChange>
      </SessionContext>
    );
  if (state.at === "entering" || state.at === "asking") return null;
  return (
    <main className="login">
      <div className="row">
        <Mark />
        <b>Headgate</b>
      </div>
      {state.at === "away" ? (
        <>
          <h1>The service does not answer</h1>
          <p className="muted" role="status">
            This page tries again every two seconds.
          </p>
        </>
      ) : (
        <Login why={state.why} onIn={() => ask()} />
      )}
    </main>
  );
}

function Login({ why, onIn }: { why: string | null; onIn: () => void }) {
  usePageTitle("Sign in");
  const [token, setToken] = useState("");
  const [fault, setFault] = useState(why ?? undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await openSession({ token });
      onIn();
    } catch (error) {
      const refused = error instanceof Problem && error.status === 401;
      setFault(refused ? WRONG_TOKEN : sentence(error));
    }
  };
  return (
    <form onSubmit={submit}>
      <h1>Sign in with the token</h1>
      <p className="muted">
        It is in the file <code className="mono">admin-token</code> in the data folder. Or open the address that{" "}
        <code className="mono">./headgate login</code> prints.
      </p>
      <TextField
        label="Token"
        type="password"
        autoComplete="current-password"
        value={token}
        onChange={(event) => setToken(event.target.value)}
        fault={fault}
        required
      />
      <p style={{ marginTop: 16 }}>
        <button type="submit" className="btn pri" disabled={token.trim() === ""}>
          Sign in
        </button>
      </p>
    </form>
  );
}
