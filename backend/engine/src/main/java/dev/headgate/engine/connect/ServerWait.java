package dev.headgate.engine.connect;

import java.util.List;

/**
 * What some statements of Headgate's connections wait for in the server.
 *
 * @param event PostgreSQL's wait event with its type, such as "Lock transactionid" or "IO WALSync"; empty for statements that run
 * @param statements how many
 * @param behind the server's processes that hold what they wait for; empty for waits that are not for a lock
 */
public record ServerWait(String event, int statements, List<Integer> behind) {

    public ServerWait {
        behind = List.copyOf(behind);
    }
}
