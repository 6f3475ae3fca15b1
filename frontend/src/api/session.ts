import { answer, client } from "./client";
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

/** Exchanges the token for the session cookie. The token itself is kept nowhere. */
export async function openSession(token: string): Promise<void> {
  await answer(client.POST("/api/v1/session", { headers: { Authorization: `Bearer ${token.trim()}` } }));
}

export async function endSession(): Promise<void> {
  await answer(client.DELETE("/api/v1/session"));
}
