package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.LeaseException;
import dev.headgate.protocol.Buffers;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The dialogue with a server, where everything may happen at any byte: rounds of all kinds, errors in their middle, listeners that
 * take no more, sends that stop, and ends. What comes is compared with a model that knows the statements alone.
 */
class DialogueTest {

    private static final int SEEDS = 1_000;
    private static final int PLACES = 1_000;
    private static final Bounds BOUNDS = new Bounds(200_000, 0, 0);

    /** One dialogue with its server. */
    private static final class World implements Dialogue.Peer {
        private final SplittableRandom random;
        private final Semaphore places = new Semaphore(PLACES);
        private final FakeServer server = new FakeServer();
        private final Dialogue dialogue;
        private final List<Heard> rounds = new ArrayList<>();
        private long held;
        private boolean hasMemory = true;
        private @Nullable SqlFailure aborted;

        World(long seed, Caller caller) {
            random = new SplittableRandom(seed);
            dialogue = new Dialogue(caller, new Buffers(), places, this);
        }

        @Override
        public boolean hold(long bytes) {
            held += hasMemory ? bytes : 0;
            return hasMemory;
        }

        @Override
        public void letGo(long bytes) {
            held -= bytes;
        }

        @Override
        public @Nullable LeaseException refusal() {
            return null;
        }

        @Override
        public String connection() {
            return "fake-1";
        }

        @Override
        public long waitedNanos() {
            return 0;
        }

        @Override
        public void abort(SqlFailure why) {
            aborted = why;
            dialogue.end(why);
        }

        Heard add(Query... queries) {
            SplittableRandom refusals = random.split();
            Heard heard = new Heard(List.of(queries), () -> refusals.nextInt(4) == 0);
            rounds.add(heard);
            assertThat(places.tryAcquire()).isTrue();
            dialogue.add(heard.round, heard);
            return heard;
        }

        /** As a session does it. */
        void send(boolean stopsEarly) {
            if (dialogue.hasToSend()) {
                server.take(dialogue.next(() -> !stopsEarly || random.nextInt(3) > 0));
            }
        }

        void receive(int most) {
            if (server.hasAnswers()) {
                int _ = server.deliver(most, dialogue::feed);
                dialogue.handOn();
                if (random.nextBoolean()) {
                    dialogue.tellArrived();
                }
            }
        }

        void resume() {
            if (dialogue.isPaused()) {
                for (Heard heard : rounds) {
                    heard.refuses = false;
                    heard.sinceRefused = 0;
                }
                dialogue.resume();
                dialogue.goOn();
                dialogue.handOn();
            }
        }

        void step() {
            switch (random.nextInt(6)) {
                case 0 -> {
                    if (rounds.size() < 120) {
                        add(some());
                    }
                }
                case 1 -> send(true);
                case 2, 3 -> receive(1 + random.nextInt(random.nextBoolean() ? 9 : 20_000));
                case 4 -> resume();
                default -> dialogue.goOn();
            }
        }

        private Query[] some() {
            Query[] queries = new Query[1 + random.nextInt(4)];
            for (int i = 0; i < queries.length; i++) {
                String sql = switch (random.nextInt(7)) {
                    case 0 -> "insert";
                    case 1 -> "empty";
                    case 2 -> random.nextInt(3) == 0 ? "fail" : "insert";
                    case 3 -> "rows " + random.nextInt(3) + " of " + random.nextInt(100_000);
                    default -> "rows " + random.nextInt(60) + " of " + random.nextInt(900);
                };
                queries[i] = new Query(sql, List.of(), List.of(), random.nextInt(4) == 0 ? 1 + random.nextInt(40) : 0);
            }
            return queries;
        }

        /** Goes on until nothing is left to do. */
        void settle() {
            for (int idle = 0; idle < 3; idle++) {
                idle = dialogue.isPaused() ? 0 : idle;
                resume();
                if (dialogue.hasToSend()) {
                    send(false);
                    idle = 0;
                }
                if (server.hasAnswers() && !dialogue.isClosed()) {
                    receive(50_000);
                    idle = 0;
                }
            }
            dialogue.tellArrived();
        }
    }

    @Test
    void aServerWithNothingToDoGetsFewRoundsFirstAndThenEverMore() {
        World world = new World(1, Caller.named("test").with(Caller.Order.FINISH_FIRST));
        for (int i = 0; i < 500; i++) {
            world.add(Query.of("rows 1 of 1 for a caller"));
        }
        List<Integer> sizes = new ArrayList<>();
        while (world.dialogue.hasToSend()) {
            byte[] messages = world.dialogue.next(() -> true);
            sizes.add(messages.length);
            world.server.take(messages);
        }
        int round = sizes.getFirst() / 2;
        assertThat(round).isBetween(Dialogue.FIRST / 2, Dialogue.FIRST);
        assertThat(sizes.subList(0, 5).stream().map(bytes -> bytes / round)).containsExactly(2, 8, 31, 121, 241);
        world.settle();
        world.add(Query.of("rows 1 of 1 for a caller"));
        world.add(Query.of("rows 1 of 1 for a caller"));
        world.add(Query.of("rows 1 of 1 for a caller"));
        assertThat(world.dialogue.next(() -> true)).hasSize(sizes.getFirst());
    }

    /** What must be heard of each round, from the statements alone. */
    private static List<List<String>> model(List<Heard> rounds) {
        List<List<String>> all = new ArrayList<>();
        int executed = 0;
        for (Heard heard : rounds) {
            List<String> notes = new ArrayList<>();
            for (Query query : heard.round) {
                String[] words = query.sql().split(" ", -1);
                int number = executed++;
                notes.add("columns " + (words[0].equals("rows") ? 1 : 0));
                if (words[0].equals("fail")) {
                    notes.add("failed 22012");
                    break;
                }
                if (words[0].equals("rows")) {
                    int count = Integer.parseInt(words[1]);
                    boolean limited = query.mostRows() > 0 && count >= query.mostRows();
                    StringBuilder rows = new StringBuilder();
                    for (int row = 0; row < (limited ? query.mostRows() : count); row++) {
                        rows.append(FakeServer.value(String.valueOf(number), row, Integer.parseInt(words[3])))
                                .append(' ');
                    }
                    if (!rows.isEmpty()) {
                        notes.add(rows.toString());
                    }
                    notes.add(limited ? "done  limited" : "done SELECT " + count);
                } else {
                    notes.add(words[0].equals("insert") ? "done INSERT 0 1" : "done ");
                }
            }
            notes.add("ended");
            all.add(notes);
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void everyRoundHearsItsOwnAnswersAndAllOfThem(Caller.Order order) {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed, Caller.named("test").with(BOUNDS).with(order));
            for (int step = 0; step < 300; step++) {
                world.step();
                int unanswered = world.server.syncs() - ended(world);
                if (order == Caller.Order.FAIR) {
                    assertThat(unanswered).as("seed " + seed).isLessThanOrEqualTo(Dialogue.TURN);
                }
                assertThat(world.rounds).as("seed " + seed).allMatch(heard -> heard.sinceRefused <= 2);
            }
            world.settle();
            assertThat(world.rounds.stream().map(heard -> heard.notes).toList())
                    .as("seed " + seed)
                    .isEqualTo(model(world.rounds));
            assertThat(world.places.availablePermits()).isEqualTo(PLACES);
            assertThat(world.held).as("seed " + seed).isZero();
            assertThat(world.rounds).as("seed " + seed).allMatch(heard -> heard.arrivals > 0);
            assertThat(world.aborted).isNull();
        }
    }

    private static int ended(World world) {
        return (int) world.rounds.stream()
                .filter(heard -> heard.notes.contains("ended"))
                .count();
    }

    @Test
    void anEndAtAnyMomentFailsWhatIsLeftAndNothingElse() {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed, Caller.named("test").with(BOUNDS));
            int until = world.random.nextInt(200);
            for (int step = 0; step < until; step++) {
                world.step();
            }
            world.dialogue.end(SqlFailure.of("57014", "it is enough"));
            int before = world.rounds.stream().mapToInt(heard -> heard.taken).sum();
            world.settle();
            assertThat(world.rounds.stream().mapToInt(heard -> heard.taken).sum())
                    .as("nothing comes after the end")
                    .isEqualTo(before);
            Heard late = world.add(Query.of("insert"));
            assertThat(late.notes).containsExactly("failed 57014", "ended");
            List<List<String>> whole = model(world.rounds);
            for (int i = 0; i < world.rounds.size(); i++) {
                List<String> notes = world.rounds.get(i).notes;
                assertThat(notes).as("seed %s, round %s", seed, i).endsWith("ended");
                if (!notes.equals(whole.get(i))) {
                    assertThat(notes).as("seed %s, round %s", seed, i).contains("failed 57014");
                    List<String> heard = notes.subList(0, notes.size() - 2);
                    for (int note = 0; note < heard.size(); note++) { // rows may be cut off in their middle
                        assertThat(whole.get(i).get(note)).startsWith(heard.get(note));
                    }
                }
            }
            assertThat(world.places.availablePermits()).isEqualTo(PLACES);
        }
    }

    @Test
    void aServerThatEndsTheSessionSaysWhy() {
        World world = new World(1, Caller.named("test"));
        Heard first = world.add(Query.of("insert"));
        Heard second = world.add(Query.of("die"));
        Heard third = world.add(Query.of("insert"));
        world.send(false);
        while (world.server.hasAnswers() && second.notes.size() < 2 && ended(world) < 2) {
            world.receive(7);
        }
        world.dialogue.end(null); // the relay closes
        assertThat(first.notes).containsExactly("columns 0", "done INSERT 0 1", "ended");
        assertThat(third.notes).last().isEqualTo("ended");
        assertThat(second.notes).contains("ended");
    }

    @Test
    void aCopyEndsTheSession() {
        World world = new World(1, Caller.named("test"));
        Heard copy = world.add(Query.of("copy"));
        world.settle();
        assertThat(copy.notes).containsExactly("columns 0", "failed 0A000", "ended");
        assertThat(world.aborted).isNotNull();
    }

    @Test
    void aRowBeyondTheBoundEndsTheSessionBeforeItIsHeld() {
        World world = new World(1, Caller.named("test").with(new Bounds(100_000, 0, 0)));
        Heard heard = world.add(Query.of("rows 1 of 150000"));
        world.send(false);
        world.receive(1_000);
        assertThat(heard.notes).contains("failed 54000", "ended");
        assertThat(world.held).isZero();
    }

    @Test
    void withoutMemoryALongRowEndsTheSession() {
        World world = new World(1, Caller.named("test").with(BOUNDS));
        world.hasMemory = false;
        Heard heard = world.add(Query.of("rows 1 of 150000"));
        world.send(false);
        world.receive(1_000);
        assertThat(heard.notes).contains("failed 53200", "ended");
    }

    @Test
    void rowsAndBytesAreBounded() {
        World rows = new World(1, Caller.named("test").with(new Bounds(100_000, 10, 0)));
        Heard within = rows.add(Query.of("rows 10 of 5"), Query.of("rows 10 of 5"));
        Heard beyond = rows.add(Query.of("rows 11 of 5"));
        rows.settle();
        assertThat(within.notes).last().isEqualTo("ended");
        assertThat(within.notes).doesNotContain("failed 54000");
        assertThat(beyond.notes).contains("failed 54000");
        World bytes = new World(1, Caller.named("test").with(new Bounds(100_000, 0, 1_000)));
        Heard first = bytes.add(Query.of("rows 1 of 600"));
        Heard second = bytes.add(Query.of("rows 1 of 600"));
        bytes.settle();
        assertThat(first.notes).doesNotContain("failed 54000");
        assertThat(second.notes).contains("failed 54000");
    }

    @Test
    void noticesBetweenRowsDoNotHideThemFromTheBound() {
        World world = new World(1, Caller.named("test").with(new Bounds(100_000, 10, 0)));
        Heard within = world.add(Query.of("noisy 10 of 5"), Query.of("noisy 10 of 5"));
        Heard beyond = world.add(Query.of("noisy 11 of 5"));
        world.settle();
        assertThat(within.notes).last().isEqualTo("ended");
        assertThat(within.notes).doesNotContain("failed 54000");
        assertThat(beyond.notes).contains("failed 54000");
    }

    @Test
    void aLongNoticeHoldsItsMemoryOnlyUntilItHasCome() {
        World world = new World(1, Caller.named("test").with(BOUNDS));
        Heard heard = world.add(Query.of("notice 150000"));
        world.send(false);
        world.receive(100_000);
        assertThat(world.held).isGreaterThan(150_000);
        world.settle();
        assertThat(heard.notes).containsExactly("columns 0", "done DO", "ended");
        assertThat(world.held).isZero();
    }

    @Test
    void whatHasComeOfALongRowIsForgottenAtTheEnd() {
        World world = new World(1, Caller.named("test").with(BOUNDS));
        world.add(Query.of("rows 1 of 150000"));
        world.send(false);
        world.receive(100_000);
        assertThat(world.held).isGreaterThan(150_000);
        assertThat(world.dialogue.buffered()).isGreaterThan(90_000);
        world.dialogue.end(SqlFailure.of("57014", "it is enough"));
        assertThat(world.held).isZero();
        assertThat(world.dialogue.buffered()).isZero();
    }
}
