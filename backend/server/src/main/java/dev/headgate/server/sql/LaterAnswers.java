package dev.headgate.server.sql;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import dev.headgate.server.access.Access;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.store.DataFolder;
import dev.headgate.sql.SqlFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests whose answers are fetched later. Each is executed at once, or waits at the gate as any other, and its answer goes to a
 * file as NDJSON. The files have a quota and an age; they do not outlive the process. Safe for any thread.
 */
@Component
final class LaterAnswers extends RepeatedTask {

    private static final Logger log = LoggerFactory.getLogger(LaterAnswers.class);

    /** Of a domain, that have not ended. */
    private static final int MOST_ASKED = 16;

    /** The same of those with a key. */
    private static final int MOST_KEYED = 256;

    /** That part of the room is for answers to requests with a key alone: those are written to be sent again. */
    private static final int FOR_KEYED = 4;

    private static final Duration RETRY = Duration.ofSeconds(5);

    /** How often old answers are looked for, also if nobody asks for any. More often if they are kept for less. */
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

    private static final Duration LOOK_AT_MOST_EVERY = Duration.ofSeconds(1);

    private final Sql sql;
    private final Access access;
    private final JsonMapper json;
    private final Supervisor supervisor;
    private final Clock clock;
    private final Path folder;
    private final long mostBytes;
    private final Duration kept;
    private final Room all;
    private final Room withoutKey;
    private final Map<String, KeptAnswer> requests = new ConcurrentHashMap<>();

    /** Held from the count of those that run until the next is counted, too. */
    private final ReentrantLock beginning = new ReentrantLock();

    LaterAnswers(
            Sql sql,
            Access access,
            JsonMapper json,
            Supervisor supervisor,
            Clock clock,
            DataFolder data,
            HeadgateProperties properties) {
        super(supervisor, "headgate-sql-answers", period(properties.sql().kept()));
        this.sql = sql;
        this.access = access;
        this.json = json;
        this.supervisor = supervisor;
        this.clock = clock;
        this.folder = data.path().resolve("sql-answers");
        this.mostBytes = properties.sql().keptBytes().toBytes();
        this.all = new Room(mostBytes, null);
        this.withoutKey = new Room(mostBytes - mostBytes / FOR_KEYED, all);
        this.kept = properties.sql().kept();
        clear();
    }

    private static Duration period(Duration kept) {
        return Collections.max(List.of(LOOK_AT_MOST_EVERY, Collections.min(List.of(LOOK_EVERY, kept))));
    }

    @Override
    protected void turn() {
        forgetTheOld();
    }

    /** Those of a former process are of nobody. */
    private void clear() {
        try {
            Files.createDirectories(folder);
            try (Stream<Path> left = Files.list(folder)) {
                for (Path file : left.toList()) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Is told of the end of a request, before whoever reads the answer sees that it has ended. */
    interface Ended {
        void accept(KeptAnswer answer, SqlRun.Effect effect);
    }

    private static final class Room implements KeptAnswer.Quota {
        private final long most;
        private final @Nullable Room around;
        private final AtomicLong taken = new AtomicLong();

        /** @param around of which it is a part; null for the whole */
        Room(long most, @Nullable Room around) {
            this.most = most;
            this.around = around;
        }

        boolean isFull() {
            return taken.get() >= most || (around != null && around.isFull());
        }

        @Override
        public boolean take(long bytes) {
            if (taken.addAndGet(bytes) <= most && (around == null || around.take(bytes))) {
                return true;
            }
            taken.addAndGet(-bytes);
            return false;
        }

        @Override
        public void giveBack(long bytes) {
            taken.addAndGet(-bytes);
            if (around != null) {
                around.giveBack(bytes);
            }
        }
    }

    /**
     * Begins to execute a request. Does not block.
     *
     * @throws ProblemException not-found; invalid-request; unavailable if as many requests of the domain run as may, or there is no
     *     room for answers
     */
    KeptAnswer begin(String domain, SqlRequest body) {
        return begin(domain, body, false, (answer, effect) -> {});
    }

    /**
     * The same.
     *
     * @param keyed whether it has an Idempotency-Key: those are counted apart
     * @param ended is told of the end, by any thread
     */
    KeptAnswer begin(String domain, SqlRequest body, boolean keyed, Ended ended) {
        beginning.lock();
        try {
            return beginOne(domain, body, keyed, ended);
        } finally {
            beginning.unlock();
        }
    }

    private KeptAnswer beginOne(String domain, SqlRequest body, boolean keyed, Ended ended) {
        forgetTheOld();
        int most = keyed ? MOST_KEYED : MOST_ASKED;
        long running = requests.values().stream()
                .filter(each -> each.domain().equals(domain)
                        && each.isKeyed() == keyed
                        && each.state() == KeptAnswer.State.running)
                .count();
        if (running >= most) {
            throw ProblemException.retry(
                    ProblemType.TOO_MANY_REQUESTS,
                    most + " requests of " + domain + (keyed ? " with an Idempotency-Key" : "")
                            + " run whose answers are kept, as many as may.",
                    RETRY);
        }
        Room room = keyed ? all : withoutKey;
        if (room.isFull()) {
            throw noRoom();
        }
        KeptAnswer answer = answer(domain, keyed, room);
        SqlTimes times = new SqlTimes();
        SqlRun run;
        try {
            run = sql.beginAlone(domain, body, times);
        } catch (RuntimeException e) {
            answer.end(KeptAnswer.State.cancelled);
            answer.drop();
            throw e;
        }
        answer.onCancel(run::cancel);
        requests.put(answer.id(), answer);
        boolean several = body.statements() != null;
        Thread _ = supervisor.start(
                "sql-later", Thread.ofVirtual().name("sql-later"), () -> write(answer, run, times, several, ended));
        return answer;
    }

    /** Room for an answer, before anything is sent: what was sent cannot be taken back. */
    private KeptAnswer answer(String domain, boolean keyed, Room room) {
        try {
            return new KeptAnswer(UUID.randomUUID().toString(), domain, access.actor(), keyed, folder, room);
        } catch (IOException e) {
            log.warn("An answer could not be kept: {}", e.getMessage());
            throw noRoom();
        }
    }

    private ProblemException noRoom() {
        return ProblemException.retry(
                ProblemType.UNAVAILABLE,
                "Answers take as many bytes as they may (headgate.sql.kept-bytes is " + mostBytes
                        + ", of which a quarter is for requests with an Idempotency-Key). Delete some.",
                RETRY);
    }

    private void write(KeptAnswer answer, SqlRun run, SqlTimes times, boolean several, Ended ended) {
        KeptAnswer.State end = KeptAnswer.State.failed;
        try {
            end = write(answer, run, times, several);
        } finally {
            try {
                ended.accept(answer, run.effect());
            } finally {
                answer.end(end);
            }
        }
    }

    private KeptAnswer.State write(KeptAnswer answer, SqlRun run, SqlTimes times, boolean several) {
        KeptAnswer.State end = KeptAnswer.State.failed;
        try (run) {
            Sink out = new Sink(new File(answer.out(), times), 0, run::tryHold);
            NdjsonFormat format = new NdjsonFormat(out, new JsonRecords(out, json), several);
            try {
                boolean whole = run.write(format, out);
                end = whole ? KeptAnswer.State.done : KeptAnswer.State.failed;
            } catch (SqlRun.Failed failed) {
                answer.failed(failed.why(), several ? failed.statement() : null);
                boolean _ = format.failed(failed.statement(), failed.why());
            }
            out.end();
        } catch (SqlRun.BrokenOff e) {
            return KeptAnswer.State.cancelled;
        } catch (UncheckedIOException e) {
            tellNoRoom(
                    answer,
                    times,
                    SqlFailure.of(
                            "54000",
                            "the answer could not be kept: "
                                    + Objects.<Throwable>requireNonNullElse(e.getCause(), e)
                                            .getMessage()));
            return KeptAnswer.State.failed;
        }
        return end;
    }

    /** The failure takes the place of the answer. */
    private void tellNoRoom(KeptAnswer answer, SqlTimes times, SqlFailure why) {
        if (answer.isDropped()) {
            return;
        }
        try {
            answer.clear();
            answer.failed(why, null);
            Sink out = new Sink(new File(answer.out(), times), 0, bytes -> false);
            boolean _ = new NdjsonFormat(out, new JsonRecords(out, json), false).failed(null, why);
            out.end();
        } catch (IOException | UncheckedIOException e) {
            log.warn("An answer could not be kept: {}", e.getMessage());
        }
    }

    /** To a file. */
    private record File(OutputStream file, SqlTimes times) implements Sink.Way {

        @Override
        public OutputStream open() {
            times.firstByte();
            return file;
        }
    }

    /** All that are kept, in no order. */
    Collection<KeptAnswer> all() {
        forgetTheOld();
        return List.copyOf(requests.values());
    }

    /** An answer, whoever's it is; null if it is not kept any more. */
    @Nullable
    KeptAnswer find(String id) {
        KeptAnswer answer = requests.get(id);
        return answer == null || answer.isDropped() ? null : answer;
    }

    /** @throws ProblemException not-found; forbidden if it is somebody else's */
    KeptAnswer get(String id) {
        forgetTheOld();
        KeptAnswer answer = requests.get(id);
        if (answer == null) {
            throw ProblemException.of(
                    ProblemType.NOT_FOUND, "There is no request '" + id + "': its answer was deleted, or is too old.");
        }
        access.requireAuthor(answer.author());
        return answer;
    }

    /**
     * Cancels a request that is being executed, and forgets its answer.
     *
     * @throws ProblemException not-found; forbidden if it is somebody else's
     */
    void remove(String id) {
        KeptAnswer answer = get(id);
        requests.remove(id);
        answer.drop();
    }

    private void forgetTheOld() {
        requests.values().removeIf(answer -> {
            boolean old = answer.isDropped() || answer.isOlderThan(kept, clock.instant());
            if (old) {
                answer.drop();
            }
            return old;
        });
    }
}
