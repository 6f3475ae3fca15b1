import { answer, client, reading } from "./client";
import { Problem } from "./problem";
import type { Session } from "./types";

export async function readSession(): Promise<Session | null> {
  try {
    return (await answer(client.GET("/api/v1/session"))) as Session;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

export type Credential = { code: string } | { token: string };

/** Exchanges a code or the token for the session cookie. Neither is kept anywhere. */
export async function openSession(credential: Credential): Promise<void> {
  await answer(
    "code" in credential
      ? client.POST("/api/v1/session", { body: { code: credential.code }, fetch: reading })
      : client.POST("/api/v1/session", {
          headers: { Authorization: `Bearer ${credential.token.trim()}` },
          fetch: reading,
        }),
  );
}

export async function endSession(): Promise<void> {
  await answer(client.DELETE("/api/v1/session"));
}
