package dev.headgate.server.sql;

import dev.headgate.server.access.Actor;
import dev.headgate.sql.SqlFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is written to a file while others read it. One thread writes; any number reads, from any offset, and waits for what
 * is still to come. Once it is complete it holds no file open and no session.
 */
final class KeptAnswer {

    /** What became of a request. */
    enum State {
        running,
        done,
        failed,
        cancelled
    }

    private static final int CHUNK = 8 * 1024;

    /** How often a reader that waits looks whether its caller is still there. */
    private static final long LOOK_MILLIS = 250;

    /** The least room that each takes, for its file and for what is remembered of it. So they are not too many. */
    private static final int OWN_ROOM = 64 * 1024;

    /** Characters of each field of a failure that is remembered. */
    private static final int LONGEST_FIELD = 1_000;

    private final String id;
    private final String domain;
    private final Actor author;
    private final boolean keyed;
    private final Path file;
    private final FileChannel channel;
    private final Quota quota;
    private final Instant began = Instant.now();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The rest is guarded by the lock. */
    private State state = State.running;

    private @Nullable Instant ended;

    /** That came before there was anything to write. */
    private @Nullable FailureAlone failureAlone;

    private Runnable cancel = () -> {};
    private long bytes;
    private boolean cleared;
    private boolean dropped;
    private int readers;
    private boolean disposable;

    /**
     * A failure that came before there was anything to write.
     *
     * @param why its texts are cut
     * @param statement its number among several; null where there is one only, or it is of none
     */
    record FailureAlone(SqlFailure why, @Nullable Integer statement) {}

    /** The room of all answers together. */
    interface Quota {
        /** @return whether there is room for so many bytes more; they are taken then */
        boolean take(long bytes);

        void giveBack(long bytes);
    }

    /** @throws IOException if there is no room for it */
    KeptAnswer(String id, String domain, Actor author, boolean keyed, Path folder, Quota quota) throws IOException {
        this.id = id;
        this.domain = domain;
        this.author = author;
        this.keyed = keyed;
        this.quota = quota;
        this.file = folder.resolve(id);
        if (!quota.take(OWN_ROOM)) {
            throw new IOException("there is no room for another answer");
        }
        try {
            this.channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (IOException e) {
            quota.giveBack(OWN_ROOM);
            throw e;
        }
    }

    String id() {
        return id;
    }

    String domain() {
        return domain;
    }

    /** Whose request it answers. */
    Actor author() {
        return author;
    }

    /** Whether its request has an Idempotency-Key. */
    boolean isKeyed() {
        return keyed;
    }

    Instant began() {
        return began;
    }

    /** Null while it is running. */
    @Nullable
    Instant ended() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** The failure that it consists of; empty if there is something before it, or it has not failed yet. */
    Optional<FailureAlone> failureAlone() {
        lock.lock();
        try {
            return Optional.ofNullable(failureAlone);
        } finally {
            lock.unlock();
        }
    }

    boolean isDropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /** The bytes so far. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    // ---- for the thread that writes

    /** Where the answer goes. Throws if the quota is used up, or the disk is full. */
    OutputStream out() {
        return new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                write(new byte[] {(byte) single}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int count) throws IOException {
                add(from, offset, count);
            }
        };
    }

    private void add(byte[] from, int offset, int count) throws IOException {
        ByteBuffer source = ByteBuffer.wrap(from, offset, count);
        lock.lock();
        try {
            if (dropped) {
                throw new IOException("nobody wants the answer any more");
            }
            long after = bytes + count;
            if (!quota.take(room(after) - room(bytes))) {
                throw new IOException("all that are kept have as many bytes as they may (headgate.sql.kept-bytes)");
            }
            try {
                while (source.hasRemaining()) {
                    bytes += channel.write(source, bytes);
                }
            } finally {
                quota.giveBack(room(after) - room(bytes));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static long room(long bytes) {
        return Math.max(OWN_ROOM, bytes);
    }

    /** There is no room for all of it: gives the room of what was written back. Whoever was reading that is told that it was dropped. */
    void clear() throws IOException {
        lock.lock();
        try {
            if (!dropped && bytes > 0) {
                quota.giveBack(room(bytes) - OWN_ROOM);
                bytes = 0;
                cleared = true;
                channel.truncate(0);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How its statement is cancelled. */
    void onCancel(Runnable how) {
        lock.lock();
        try {
            cancel = how;
        } finally {
            lock.unlock();
        }
    }

    /** It failed before there was anything to write; the failure may be written now. */
    void failed(SqlFailure why, @Nullable Integer statement) {
        lock.lock();
        try {
            failureAlone = new FailureAlone(why.cutTo(LONGEST_FIELD), statement);
        } finally {
            lock.unlock();
        }
    }

    /** The answer has come to its end. */
    void end(State how) {
        lock.lock();
        try {
            if (state == State.running) {
                state = how;
                ended = Instant.now();
            }
            cancel = () -> {};
            channel.close();
            changed.signalAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    // ---- for readers

    /** Somebody will read it, until {@link #detach}. */
    void attach() {
        lock.lock();
        try {
            readers++;
        } finally {
            lock.unlock();
        }
    }

    void detach() {
        lock.lock();
        try {
            readers--;
            dropIfUnread();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody will ask for it again: it is dropped when those who are attached have read it. */
    void dispose() {
        lock.lock();
        try {
            disposable = true;
            dropIfUnread();
        } finally {
            lock.unlock();
        }
    }

    private void dropIfUnread() {
        if (disposable && readers == 0) {
            drop();
        }
    }

    /** Whether a failure has taken the place of what was there: a byte's offset means another one now. */
    boolean isCleared() {
        lock.lock();
        try {
            return cleared;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Copies the answer from an offset to its end. Blocks while it is still being written.
     *
     * @param offset of an answer that was cleared, 0 alone
     * @param gone whether nobody reads it any more. Asked a few times a second while there is nothing to copy, by this thread
     * @return false if it was dropped or cleared meanwhile, or nobody reads it any more
     */
    boolean copy(long offset, OutputStream out, BooleanSupplier gone) throws IOException, InterruptedException {
        try (FileChannel source = FileChannel.open(file, StandardOpenOption.READ)) {
            return copy(source, offset, out, gone);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private boolean copy(FileChannel source, long offset, OutputStream out, BooleanSupplier gone)
            throws IOException, InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
        boolean clearedBefore = isCleared();
        if (clearedBefore && offset > 0) {
            return false;
        }
        long at = offset;
        while (true) {
            long here = await(at, gone);
            if (here < 0 || isCleared() != clearedBefore) {
                return false;
            }
            if (here == at) {
                return true;
            }
            while (at < here) {
                buffer.clear().limit((int) Math.min(CHUNK, here - at));
                int got = source.read(buffer, at);
                if (got < 0 || isCleared() != clearedBefore) { // or it may be what came afterwards
                    return false;
                }
                out.write(buffer.array(), 0, got);
                at += got;
            }
            out.flush();
        }
    }

    /** Waits until it has a first byte, or has ended, or nobody waits any more. */
    void awaitBegin(BooleanSupplier gone) throws InterruptedException {
        long _ = await(0, gone);
    }

    /** Waits until it has ended, or nobody waits any more. */
    void awaitEnd(BooleanSupplier gone) throws InterruptedException {
        long _ = await(Long.MAX_VALUE, gone);
    }

    /** Waits until there is more than that, or the end. @return the bytes that are there; -1 if it was dropped, or nobody waits */
    private long await(long known, BooleanSupplier gone) throws InterruptedException {
        while (true) {
            boolean told;
            lock.lockInterruptibly();
            try {
                if (bytes > known || state != State.running || dropped) {
                    return dropped ? -1 : Math.max(bytes, known);
                }
                told = changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } finally {
                lock.unlock();
            }
            if (!told && gone.getAsBoolean()) {
                return -1;
            }
        }
    }

    /** Whether it ended so long ago. */
    boolean isOlderThan(Duration age, Instant now) {
        Instant end = ended();
        return end != null && end.plus(age).isBefore(now);
    }

    /** Cancels its request if that is running, and forgets it with its file. */
    void drop() {
        lock.lock();
        try {
            if (!dropped) {
                dropped = true;
                quota.giveBack(room(bytes));
                cancel.run();
                Files.deleteIfExists(file);
            }
            changed.signalAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }
}
