package dev.headgate.lab.link;

import java.util.Locale;

/**
 * What has passed through a link.
 *
 * @param open connections of now
 * @param connections that were opened, in all
 * @param refused connections that the target did not take
 * @param there bytes that were delivered to the target
 * @param back bytes that were delivered from the target
 * @param vanished bytes of both directions, in a black hole
 */
public record Traffic(int open, long connections, long refused, long there, long back, long vanished) {

    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

    Traffic since(Traffic before) {
        return new Traffic(
                open,
                connections - before.connections,
                refused - before.refused,
                there - before.there,
                back - before.back,
                vanished - before.vanished);
    }

    /** Whether anything happened. */
    boolean isSome() {
        return connections + refused + there + back + vanished > 0;
    }

    String describe() {
        return String.format(
                Locale.ROOT,
                "connections: %d open, %,d new%s; bytes: %,d there, %,d back%s",
                open,
                connections,
                refused == 0 ? "" : ", %,d not taken by the target".formatted(refused),
                there,
                back,
                vanished == 0 ? "" : ", %,d vanished".formatted(vanished));
    }
}
