package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Statement.Scope;
import org.junit.jupiter.api.Test;

class StatementCacheTest {

    private static final long ROUND = 4;

    private final StatementCache cache = new StatementCache("ours_", 3, 1_000);

    @Test
    void theOneThatWasNotUsedForLongestMakesRoom() {
        String one = cache.add(text("one"), ROUND, 0);
        String two = cache.add(text("two"), ROUND, 0);
        cache.add(text("three"), ROUND, 0);
        assertThat(cache.nameOf(text("one"))).isEqualTo(one);
        assertThat(cache.makeRoomFor(text("four"))).containsExactly(two);
        assertThat(cache.nameOf(text("two"))).isNull();
        assertThat(cache.makeRoomFor(text("four"))).isEmpty();
        assertThat(cache.add(text("four"), ROUND, 0)).isEqualTo("ours_4");
    }

    @Test
    void aLongTextMakesSeveralOthersGo() {
        String one = cache.add(text("1".repeat(200)), ROUND, 0);
        String two = cache.add(text("2".repeat(200)), ROUND, 0);
        assertThat(cache.bytes()).isBetween(600L, 650L);
        assertThat(cache.makeRoomFor(text("3".repeat(700)))).containsExactly(one, two);
        assertThat(cache.bytes()).isZero();
        cache.add(text("3".repeat(700)), ROUND, 0);
        assertThat(cache.makeRoomFor(text("4".repeat(5_000))))
                .as("kept whatever its length")
                .hasSize(1);
        cache.add(text("4".repeat(5_000)), ROUND, 0);
        assertThat(cache.nameOf(text("4".repeat(5_000)))).isEqualTo("ours_4");
        assertThat(cache.bytes()).isGreaterThan(5_000);
    }

    @Test
    void aParseCountsInItsOwnRoundAndOnceItIsConfirmed() {
        Statement statement = text("one");
        assertThat(cache.isCertain(statement, ROUND)).isFalse();
        String name = cache.add(statement, ROUND, 0);
        assertThat(cache.isCertain(statement, ROUND)).isTrue();
        assertThat(cache.isCertain(statement, ROUND + 1))
                .as("it may have failed")
                .isFalse();
        cache.confirm(statement, "ours_other");
        assertThat(cache.isCertain(statement, ROUND + 1)).isFalse();
        cache.confirm(statement, name);
        assertThat(cache.isCertain(statement, ROUND + 1)).isTrue();
    }

    @Test
    void columnsAreKnownInTheirFormatAndScopeForAMinuteAndForgottenWithTheirStatement() throws ProtocolException {
        Statement statement = text("one");
        String name = cache.add(statement, ROUND, 0);
        long bytes = cache.bytes();
        Columns columns = columns(300);
        cache.tell(statement, "ours_other", new StatementCache.Told(columns, false, Scope.SHARED, 5));
        assertThat(cache.columns(statement, false, Scope.SHARED, 5)).isNull();
        cache.tell(statement, name, new StatementCache.Told(columns, false, Scope.SHARED, 5));
        cache.confirm(statement, name);
        assertThat(cache.bytes()).isEqualTo(bytes + 300);
        assertThat(cache.columns(statement, false, Scope.SHARED, StatementCache.FRESH_NANOS + 5))
                .isSameAs(columns);
        assertThat(cache.columns(statement, false, Scope.SHARED, StatementCache.FRESH_NANOS + 6))
                .isNull();
        assertThat(cache.columns(statement, true, Scope.SHARED, 5)).isNull();
        assertThat(cache.columns(statement, false, new Scope(1, "", 0), 5)).isNull();
        cache.add(statement, ROUND, 0);
        assertThat(cache.columns(statement, false, Scope.SHARED, 5)).isNull();
        assertThat(cache.bytes()).isEqualTo(bytes);
        cache.remove(statement);
        assertThat(cache.bytes()).isZero();
    }

    private static Columns columns(int bytes) throws ProtocolException {
        byte[] message = new byte[5 + bytes];
        message[0] = 'T';
        message[3] = (byte) (bytes + 4 >> 8);
        message[4] = (byte) (bytes + 4);
        FrameReader reader = new FrameReader();
        reader.feed(message, 0, message.length);
        assertThat(reader.next()).isTrue();
        return Columns.of(reader);
    }

    @Test
    void aStatementIsOldAMinuteAfterItsParse() {
        Statement statement = text("one");
        assertThat(cache.isOld(statement, 0)).as("it is not prepared").isFalse();
        String name = cache.add(statement, ROUND, 5);
        cache.confirm(statement, name);
        assertThat(cache.isOld(statement, 5 + StatementCache.FRESH_NANOS)).isFalse();
        assertThat(cache.isOld(statement, 6 + StatementCache.FRESH_NANOS)).isTrue();
        cache.add(statement, ROUND + 1, 6 + StatementCache.FRESH_NANOS);
        assertThat(cache.isOld(statement, 6 + StatementCache.FRESH_NANOS)).isFalse();
    }

    @Test
    void anAnswerToAnOlderParseSaysNothingOfALaterOne() {
        Statement statement = text("one");
        String first = cache.add(statement, ROUND, 0);
        String second = cache.add(statement, ROUND + 1, 0);
        long bytes = cache.bytes();
        cache.remove(statement, first);
        assertThat(cache.nameOf(statement)).isEqualTo(second);
        cache.confirm(statement, first);
        assertThat(cache.isCertain(statement, ROUND)).isFalse();
        cache.remove(statement, second);
        assertThat(cache.nameOf(statement)).isNull();
        assertThat(cache.bytes()).isEqualTo(bytes - statement.size());
        cache.confirm(statement, second);
        assertThat(cache.nameOf(statement)).isNull();
    }

    @Test
    void statementsOfDifferentScopesAreDifferent() {
        Statement shared = text("one");
        Statement mine = Statement.of("one", new Scope(0, "", 7));
        Statement later = Statement.of("one", new Scope(1, "", 0));
        Statement otherwise = Statement.of("one", new Scope(0, "SET DateStyle", 0));
        cache.add(shared, ROUND, 0);
        assertThat(cache.nameOf(mine)).isNull();
        assertThat(cache.nameOf(later)).isNull();
        assertThat(cache.nameOf(otherwise)).isNull();
        cache.add(mine, ROUND, 0);
        assertThat(cache.nameOf(shared)).isEqualTo("ours_1");
        assertThat(cache.nameOf(mine)).isEqualTo("ours_2");
        cache.clear();
        assertThat(cache.nameOf(shared)).isNull();
        assertThat(cache.bytes()).isZero();
    }

    private static Statement text(String sql) {
        return Statement.of(sql, Scope.SHARED);
    }
}
