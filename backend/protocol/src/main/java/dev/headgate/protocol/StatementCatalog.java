package dev.headgate.protocol;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The recently requested statements, so that a text is analysed once and kept once however many clients send it. Bounded by
 * bytes; the least recently requested one is removed to make room. Belongs to one thread.
 */
public final class StatementCatalog {

    private final long mostBytes;
    private final Map<Object, Statement> known = new LinkedHashMap<>(64, 0.75f, true);
    private final Probe probe = new Probe();
    private long bytes;

    public StatementCatalog(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** The key of a lookup. It uses the bytes in place, so finding a known statement costs no copy. */
    private static final class Probe {
        private byte[] in = {};
        private int from;
        private int to;
        private int hash;
        private Statement.Scope scope = Statement.Scope.SHARED;

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        @SuppressWarnings("EqualsUnsafeCast") // the map holds nothing else
        public boolean equals(Object other) {
            return other instanceof Statement statement && statement.is(in, from, to, hash, scope);
        }
    }

    /**
     * The statement of a Parse message.
     *
     * @param in contains query and parameter types from {@code from} to {@code to}; not kept
     */
    public Statement of(byte[] in, int from, int to, Statement.Scope scope) {
        if (Statement.isLong(to - from)) {
            return Statement.of(LongBytes.of(in, from, to), scope);
        }
        int hash = Statement.hash(in, from, to);
        probe.in = in;
        probe.from = from;
        probe.to = to;
        probe.hash = hash;
        probe.scope = scope;
        Statement found = known.get(probe);
        if (found != null) {
            return found;
        }
        Statement fresh = Statement.of(Arrays.copyOfRange(in, from, to), hash, scope);
        known.put(fresh, fresh);
        bytes += fresh.size();
        shrink();
        return fresh;
    }

    private void shrink() {
        Iterator<Statement> oldest = known.values().iterator();
        while (bytes > mostBytes && oldest.hasNext()) {
            bytes -= oldest.next().size();
            oldest.remove();
        }
    }

    /** The approximate number of bytes of its statements. */
    public long bytes() {
        return bytes;
    }
}
