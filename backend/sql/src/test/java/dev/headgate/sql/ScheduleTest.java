package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.protocol.Buffers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The engine under schedules that seeds make up: several callers of all kinds on fewer connections, in transactions and without,
 * listeners that take no more now and then, bytes that come and go in pieces, leases that come late. A caller must hear, answer for
 * answer, what the same server answers it directly. Where callers cancel, leave and run out of time, leases are refused, and
 * connections break, end in the middle of a message or fall silent, each round must still end once and in order, and nothing may be
 * left: no lease, no waiter, no byte, no reserved memory, no timer.
 *
 * <p>{@code -Dschedules=N} sets how many, {@code -Dseed=S} plays one.
 */
class ScheduleTest {

    private static final int SCHEDULES = 2_000;
    private static final int MOST_CALLERS = 4;
    private static final int MOST_ROUNDS = 8;
    private static final int MOST_STEPS = 100_000;

    /** In a deadly schedule something goes wrong about once in so many steps. */
    private static final int HARM = 60;

    @Test
    void aCallerHearsWhatTheServerWouldAnswerItDirectly() {
        play(false);
    }

    @Test
    void eachRoundEndsOnceAndNothingIsLeftWhenCallersAndServersDie() {
        play(true);
    }

    private static void play(boolean deadly) {
        Long one = Long.getLong("seed");
        LongStream seeds =
                one == null ? LongStream.range(0, Integer.getInteger("schedules", SCHEDULES)) : LongStream.of(one);
        seeds.parallel().forEach(seed -> {
            try {
                new Schedule(seed, deadly).play();
            } catch (RuntimeException | AssertionError fault) {
                throw new AssertionError("-Dseed=" + seed + (deadly ? " (deadly)" : ""), fault);
            }
        });
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** How a caller takes its answers. */
    private enum Kind {
        /** A listener for each round. */
        LISTENER,
        /** A queue for all of them. */
        QUEUE,
        /** All rounds are its last ones. */
        LAST,
        /** One statement, whose rows are published. */
        PUBLISHER
    }

    private static final class Party {
        final Kind kind;
        final SqlSession session;

        /** Rounds that were not submitted. */
        final Deque<List<Query>> script = new ArrayDeque<>();

        /** What was heard of each round, in their order. */
        final List<Heard> rounds = new ArrayList<>();

        final AnswerQueue queue;

        /** Whether its thread has a long row from the queue, and has not asked for more. */
        boolean atLongRow;

        final AnswerListener ofQueue;
        final Taker taker = new Taker();

        /** The rounds that have ended. */
        int ended;

        /** @param mostBytes of rows in its queue */
        Party(Kind kind, SqlSession session, int mostBytes) {
            this.kind = kind;
            this.session = session;
            this.queue = new AnswerQueue(mostBytes);
            this.ofQueue = queue.from(session);
        }

        /** An answer to the round that is the first of those that have not ended. */
        boolean hear(Answer answer) {
            check(ended < rounds.size(), "an answer after the last round");
            Heard present = rounds.get(ended);
            ended += answer instanceof Answer.Ended ? 1 : 0;
            return present.take(answer);
        }

        /** Listens to one round: its answers come when those before it have ended. */
        AnswerListener listener(Heard heard) {
            int number = rounds.indexOf(heard);
            return new AnswerListener() {
                @Override
                public boolean take(Answer answer) {
                    check(ended == number, "an answer out of order");
                    return hear(answer);
                }

                @Override
                public void arrived() {
                    heard.arrived();
                }
            };
        }

        boolean isPaused() {
            return kind != Kind.QUEUE && rounds.stream().anyMatch(heard -> heard.refuses);
        }
    }

    /** What can happen next. */
    private enum Act {
        SUBMIT,
        RESUME,
        TAKE,
        REQUEST,
        ARRIVE,
        SERVE,
        WAKE,
        GRANT,
        WORK,
        TURN,
        CANCEL,
        LEAVE,
        REFUSE,
        BREAK,
        WAIT
    }

    private record Chance(Act act, int whose) {}

    private static final class Schedule {
        private final SplittableRandom random;
        private final boolean deadly;
        private final VirtualWorld world;
        private final List<Party> parties = new ArrayList<>();

        /** Publishers whose subscriber has cancelled, which is told nothing more. */
        private final List<Party> left = new ArrayList<>();

        private final List<Chance> possible = new ArrayList<>();

        Schedule(long seed, boolean deadly) {
            random = new SplittableRandom(seed);
            this.deadly = deadly;
            world = new VirtualWorld(1 + random.nextInt(2));
            world.worksByHand = true;
            world.pool.byHand = random.nextBoolean();
            world.pool.slow = random.nextInt(3) > 0;
            for (FakeLine line : world.pool.lines()) {
                line.slow = world.pool.slow;
                line.mostAtOnce = random.nextInt(3) == 0 ? 16 + random.nextInt(2_000) : Integer.MAX_VALUE;
            }
            int callers = 1 + random.nextInt(MOST_CALLERS);
            for (int i = 0; i < callers; i++) {
                parties.add(party("" + (char) ('a' + i)));
            }
        }

        private Party party(String name) {
            Caller caller = Caller.named(name)
                    .with(Caller.Order.values()[random.nextInt(2)])
                    .with(new Bounds(150_000, 0, 0));
            if (deadly && random.nextInt(4) == 0) {
                caller = caller.endingAfter(
                        Duration.ofMillis(random.nextInt(20_000)), SqlFailure.of("57014", "the time is up"));
            }
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            Party party =
                    new Party(kind, world.open(caller), 1 + random.nextInt(random.nextBoolean() ? 1_000 : 40_000));
            if (kind == Kind.PUBLISHER) {
                party.script.add(List.of(Query.of(rows(name, 0))));
            } else {
                writeScript(party, name);
            }
            return party;
        }

        private void writeScript(Party party, String name) {
            boolean within = false;
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 3 * Dialogue.TURN : MOST_ROUNDS);
            for (int i = 0; i < count; i++) {
                if (random.nextInt(4) == 0) {
                    party.script.add(List.of(Query.of(within ? end() : "begin")));
                    within = !within;
                } else {
                    List<Query> round = new ArrayList<>();
                    for (int left = 1 + random.nextInt(3); left > 0; left--) {
                        int most = random.nextInt(5) == 0 ? 1 + random.nextInt(20) : 0;
                        round.add(new Query(statement(name, i), List.of(), List.of(), most));
                    }
                    party.script.add(round);
                }
            }
            if (within) {
                party.script.add(List.of(Query.of(end())));
            }
        }

        private String end() {
            return random.nextBoolean() ? "commit" : "rollback";
        }

        private String statement(String name, int round) {
            return switch (random.nextInt(deadly ? 41 : 40)) {
                case 0, 1, 2 -> "fail";
                case 3, 4, 5 -> "empty";
                case 6, 7, 8 -> "sleep";
                case 9 -> "insert " + "x".repeat(random.nextInt(20_000));
                case 10, 11, 12, 13, 14, 15, 16 -> "insert";
                case 17 -> "notice " + random.nextInt(100_000);
                case 40 -> random.nextBoolean() ? "die" : "copy";
                default -> rows(name, round);
            };
        }

        private String rows(String name, int round) {
            String shape = switch (random.nextInt(8)) {
                case 0 -> "2 of " + random.nextInt(100_000);
                case 1 -> random.nextInt(300) + " of 300";
                default -> random.nextInt(30) + " of " + random.nextInt(200);
            };
            return "rows " + shape + " for " + name + round;
        }

        // ---- how it goes on

        void play() {
            for (int step = 0; !isOver(); step++) {
                if (step == MOST_STEPS) {
                    throw new AssertionError("it does not come to an end: " + state());
                }
                act(deadly && random.nextInt(HARM) == 0 ? harm() : next());
            }
            if (!deadly) {
                compare();
                check(world.pool.discarded() == 0, "a connection was given up");
            }
            finish();
        }

        private String state() {
            StringBuilder all = new StringBuilder(world.pool.waiting() + " wait");
            for (FakeLine line : world.pool.lines()) {
                all.append(", ").append(line).append(world.pool.isLeased(line) ? " leased" : " free");
            }
            for (Party party : parties) {
                all.append(", ").append(party.kind).append(' ').append(party.script.size());
                all.append(" rounds to submit, ")
                        .append(party.rounds.size() - party.ended)
                        .append(" to end");
                all.append(party.isPaused() ? ", paused" : "");
            }
            return all.toString();
        }

        private boolean isOver() {
            for (Party party : parties) {
                if (!party.script.isEmpty() || party.ended < party.rounds.size() || isAwaited(party)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isAwaited(Party party) {
            return party.kind == Kind.PUBLISHER && !party.taker.isOver() && !left.contains(party);
        }

        private void can(Act act, int whose) {
            possible.add(new Chance(act, whose));
        }

        private Chance next() {
            possible.clear();
            for (int i = 0; i < parties.size(); i++) {
                look(parties.get(i), i);
            }
            List<FakeLine> lines = world.pool.lines();
            for (int i = 0; i < lines.size(); i++) {
                look(lines.get(i), i);
            }
            if (world.pool.byHand && world.pool.canGrant()) {
                can(Act.GRANT, 0);
            }
            if (world.hasWork()) {
                can(Act.WORK, 0);
            }
            boolean waits = world.isIdle() && possible.isEmpty();
            for (int weight = 0; weight < 4; weight++) {
                can(Act.TURN, 0);
            }
            return waits && random.nextInt(3) > 0
                    ? new Chance(Act.WAIT, 0)
                    : possible.get(random.nextInt(possible.size()));
        }

        private void look(Party party, int i) {
            if (!party.script.isEmpty()) {
                can(Act.SUBMIT, i);
            }
            if (party.isPaused()) {
                can(Act.RESUME, i);
            }
            if (party.queue.hasNext() || party.atLongRow) {
                can(Act.TAKE, i);
            }
            if (party.kind == Kind.PUBLISHER && party.script.isEmpty() && isAwaited(party)) {
                can(Act.REQUEST, i);
            }
        }

        private void look(FakeLine line, int i) {
            if (line.toServe() > 0) {
                can(Act.SERVE, i);
            }
            if (line.slow && line.toArrive() > 0) {
                can(Act.ARRIVE, i);
            }
            if (line.server.isSleeping() && !line.isMute()) {
                can(Act.WAKE, i);
            }
        }

        private Chance harm() {
            possible.clear();
            int party = random.nextInt(parties.size());
            if (!parties.get(party).rounds.isEmpty() || parties.get(party).kind == Kind.PUBLISHER) {
                can(Act.CANCEL, party);
                can(Act.LEAVE, party);
            }
            if (world.pool.waiting() > 0) {
                can(Act.REFUSE, 0);
            }
            if (random.nextInt(3) == 0) {
                can(Act.BREAK, random.nextInt(world.pool.lines().size()));
            }
            can(Act.WAIT, 0);
            return possible.get(random.nextInt(possible.size()));
        }

        private int some(int most) {
            return random.nextInt(3) == 0 ? most : 1 + random.nextInt(random.nextBoolean() ? 10 : most);
        }

        private void act(Chance chance) {
            int whose = chance.whose();
            switch (chance.act()) {
                case TURN -> {
                    world.turn();
                    world.time.advance(random.nextInt(50_000));
                }
                case SUBMIT -> submit(parties.get(whose));
                case RESUME -> {
                    for (Heard heard : parties.get(whose).rounds) {
                        check(heard.sinceRefused <= 1, "rows come although nobody takes them");
                        heard.sinceRefused = 0;
                        heard.refuses = false;
                    }
                    parties.get(whose).session.resume();
                }
                case TAKE -> take(parties.get(whose));
                case REQUEST -> parties.get(whose).taker.request(random.nextInt(5) == 0 ? Long.MAX_VALUE : 1);
                case ARRIVE ->
                    world.pool.line(whose).arrive(some(world.pool.line(whose).toArrive()));
                case SERVE ->
                    world.pool.line(whose).serve(some(world.pool.line(whose).toServe()));
                case WAKE -> world.pool.line(whose).server.wake();
                case GRANT -> world.pool.grant();
                case WORK -> world.work();
                case WAIT -> world.pass(Duration.ofMillis(1 + random.nextInt(deadly ? 3_000 : 2)));
                case CANCEL -> parties.get(whose).session.cancel();
                case LEAVE -> leave(parties.get(whose));
                case REFUSE -> world.pool.refuse();
                case BREAK -> harm(world.pool.line(whose));
            }
        }

        private void submit(Party party) {
            switch (party.kind) {
                case LISTENER -> {
                    Heard heard = heard(party);
                    party.session.submit(heard.round, party.listener(heard));
                }
                case QUEUE -> party.session.submit(heard(party).round, takenFromMeanwhile(party));
                case LAST -> {
                    List<List<Query>> all = List.copyOf(party.script);
                    all.forEach(round -> heard(party));
                    party.session.submitLast(all, party::hear);
                }
                case PUBLISHER -> {
                    Query query = party.script.remove().getFirst();
                    Flow.Publisher<Rows> publisher = new RowPublisher(party.session, query);
                    party.taker.query = query;
                    party.taker.requestsWithin = () -> random.nextInt(4) == 0;
                    publisher.subscribe(party.taker);
                }
            }
        }

        /** The queue, from which another thread may take between any two of the loop's answers. */
        private AnswerListener takenFromMeanwhile(Party party) {
            return answer -> {
                boolean more = party.ofQueue.take(answer);
                while (party.queue.hasNext() && random.nextInt(3) == 0) {
                    take(party);
                }
                return more;
            };
        }

        private void take(Party party) {
            try {
                AnswerQueue.Arrival next = party.queue.next(Duration.ZERO);
                party.atLongRow = false;
                if (next != null) {
                    party.atLongRow = next.answer() instanceof Answer.Some some
                            && some.rows().isLong();
                    boolean _ = party.hear(next.answer());
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e); // nobody waits here
            }
        }

        private Heard heard(Party party) {
            boolean refuses = party.kind != Kind.QUEUE && random.nextBoolean();
            Heard heard = new Heard(party.script.remove(), () -> refuses && random.nextInt(4) == 0);
            party.rounds.add(heard);
            return heard;
        }

        private void leave(Party party) {
            if (party.kind == Kind.PUBLISHER && random.nextBoolean()) {
                if (party.script.isEmpty()) {
                    party.taker.cancel();
                    left.add(party);
                }
            } else if (random.nextBoolean()) {
                party.session.close();
            } else {
                party.session.end(SqlFailure.of("57014", "it is enough"));
            }
        }

        private void harm(FakeLine line) {
            switch (random.nextInt(3)) {
                case 0 -> line.reset();
                case 1 -> line.endAfter(random.nextInt(500));
                default -> line.mute();
            }
        }

        // ---- what must be so

        private void finish() {
            parties.forEach(party -> party.session.close());
            world.pool.byHand = false;
            world.pool.slow = false;
            world.worksByHand = false;
            for (FakeLine line : world.pool.lines()) {
                line.slow = false;
                if (!line.isMute()) {
                    line.serve(Integer.MAX_VALUE);
                }
            }
            world.endAll();
            for (Party party : parties) {
                check(!party.queue.hasNext(), "an answer after the last round");
                for (Heard heard : party.rounds) {
                    check(heard.notes.stream().filter("ended"::equals).count() == 1, "a round ends once");
                    check(heard.notes.getLast().equals("ended"), "nothing comes after the end");
                    check(heard.sinceRefused <= 1, "rows come although nobody takes them");
                    checkRows(heard);
                }
            }
        }

        /** Its rows are its own, and in order. */
        private static void checkRows(Heard heard) {
            int statement = -1;
            for (String note : heard.notes) {
                if (note.startsWith("columns")) {
                    statement++;
                } else if (note.contains(":")) {
                    String[] words = heard.round.get(statement).sql().split(" ", -1);
                    String[] rows = note.split(" ", -1);
                    for (int row = 0; row < rows.length - 1; row++) {
                        check(
                                rows[row].equals(FakeServer.value(words[5], row, Integer.parseInt(words[3]))),
                                "a row of another statement");
                    }
                }
            }
        }

        private void compare() {
            for (Party party : parties) {
                Query published = party.taker.query;
                List<List<Query>> rounds = published == null
                        ? party.rounds.stream().map(heard -> heard.round).toList()
                        : List.of(List.of(published));
                List<List<String>> direct = direct(rounds);
                if (published == null) {
                    List<List<String>> told =
                            party.rounds.stream().map(heard -> heard.notes).toList();
                    check(told.equals(direct), "told " + told + " in place of " + direct);
                } else {
                    check(party.taker.completed, "not all rows have come");
                    String rows =
                            direct.getFirst().size() == 4 ? direct.getFirst().get(1) : "";
                    check(rows.contentEquals(party.taker.rows), "other rows");
                }
            }
        }

        /** What a server of its own answers a caller. */
        private static List<List<String>> direct(List<List<Query>> rounds) {
            FakeServer server = new FakeServer();
            Dialogue dialogue = new Dialogue(
                    Caller.named("direct").with(Caller.Order.FINISH_FIRST),
                    new Buffers(),
                    new Semaphore(rounds.size()),
                    new Alone());
            List<Heard> all = new ArrayList<>();
            for (List<Query> round : rounds) {
                Heard heard = new Heard(round, () -> false);
                all.add(heard);
                dialogue.add(round, heard);
            }
            while (dialogue.hasToSend()) {
                server.take(dialogue.next(() -> true));
            }
            while (server.isSleeping()) {
                server.wake();
            }
            int _ = server.deliver(Integer.MAX_VALUE, dialogue::feed);
            dialogue.handOn();
            return all.stream().map(heard -> heard.notes).toList();
        }
    }

    /** A dialogue without a relay. */
    private static final class Alone implements Dialogue.Peer {
        @Override
        public boolean hold(long bytes) {
            return true;
        }

        @Override
        public void letGo(long bytes) {}

        @Override
        public @Nullable LeaseException refusal() {
            return null;
        }

        @Override
        public String connection() {
            return "";
        }

        @Override
        public long waitedNanos() {
            return 0;
        }

        @Override
        public void abort(SqlFailure why) {
            throw new AssertionError(why);
        }
    }
}
