package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Statement.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatementCatalogTest {

    private final StatementCatalog catalog = new StatementCatalog(1_000);

    @Test
    void theSameTextIsKeptOnceWhereverItStands() {
        Statement one = of("select 1", 0);
        Statement other = of("select 1", 9);
        assertThat(other).isSameAs(one);
        assertThat(one.sql()).isEqualTo("select 1");
        assertThat(catalog.bytes()).isEqualTo(one.size());
    }

    @Test
    void whatWasFedIsNotKept() {
        byte[] fed = tail("select 1");
        Statement one = catalog.of(fed, 0, fed.length, Scope.SHARED);
        Arrays.fill(fed, (byte) '!');
        assertThat(one.sql()).isEqualTo("select 1");
        assertThat(of("select 1", 0)).isSameAs(one);
    }

    @Test
    void typesAndScopeDecideToo() {
        byte[] typed = "select 1\0\0\1\0\0\0\27".getBytes(StandardCharsets.ISO_8859_1);
        Statement one = of("select 1", 0);
        assertThat(catalog.of(typed, 0, typed.length, Scope.SHARED)).isNotEqualTo(one);
        byte[] plain = tail("select 1");
        assertThat(catalog.of(plain, 0, plain.length, new Scope(0, "SET x", 0))).isNotEqualTo(one);
        assertThat(catalog.of(plain, 0, plain.length, new Scope(0, "", 3))).isNotEqualTo(one);
        assertThat(catalog.of(plain, 0, plain.length, new Scope(1, "", 0))).isNotEqualTo(one);
        assertThat(catalog.of(plain, 0, plain.length, new Scope(0, "", 0))).isSameAs(one);
    }

    @Test
    void theOneThatWasNotAskedForLongestMakesRoom() {
        Statement first = of("a".repeat(200), 0);
        Statement second = of("b".repeat(200), 0);
        of("c".repeat(200), 0);
        assertThat(of("a".repeat(200), 0)).isSameAs(first);
        of("d".repeat(200), 0);
        assertThat(catalog.bytes()).isLessThanOrEqualTo(1_000);
        assertThat(of("a".repeat(200), 0)).isSameAs(first);
        assertThat(of("b".repeat(200), 0)).isNotSameAs(second).isEqualTo(second);
    }

    /** A client sets a value of 250 KB, and another one with each statement: each made a scope of its own, which nobody counted. */
    @Test
    void whatASettingSaysIsCountedAndNotKeptInTheScope() {
        byte[] plain = tail("select 1");
        String scope = Scope.digestOf(List.of("SET a.b = '" + "x".repeat(250_000) + "'"));
        assertThat(scope).hasSize(64).isNotEqualTo(Scope.digestOf(List.of("SET a.b = 'x'")));
        assertThat(Scope.digestOf(List.of())).isEmpty();
        assertThat(Scope.digestOf(List.of("a", "b"))).isNotEqualTo(Scope.digestOf(List.of("ab")));
        Statement bare = catalog.of(plain, 0, plain.length, Scope.SHARED);
        Statement scoped = catalog.of(plain, 0, plain.length, new Scope(0, scope, 0));
        assertThat(scoped.size()).isEqualTo(bare.size() + scope.length());
        assertThat(Statement.of("SET a.b = '" + "x".repeat(10_000) + "'", Scope.SHARED)
                        .size())
                .isGreaterThan(20_000);
        assertThat(Statement.of("DEALLOCATE a;".repeat(2), Scope.SHARED).size()).isGreaterThan(150);
    }

    @Test
    void aVeryLongTextIsNotKept() {
        StatementCatalog large = new StatementCatalog(Long.MAX_VALUE);
        byte[] text = tail("x".repeat(100_000));
        Statement one = large.of(text, 0, text.length, Scope.SHARED);
        assertThat(large.of(text, 0, text.length, Scope.SHARED))
                .isNotSameAs(one)
                .isEqualTo(one);
        assertThat(large.bytes()).isZero();
    }

    /** So that nobody waits for the digest of a long text, nor keeps it as a key. */
    @Test
    void aLongTextHasAnIdentityOfItsOwn() {
        Statement one = Statement.of("x".repeat(100_000), Scope.SHARED);
        Statement other = Statement.of("x".repeat(100_000), Scope.SHARED);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(one.isLong()).isTrue();
        assertThat(one.identity()).isSameAs(one.identity()).isNotEqualTo(other.identity());
        assertThat(Statement.of("y".repeat(10_000), Scope.SHARED).identity())
                .isEqualTo(Statement.of("y".repeat(10_000), Scope.SHARED).identity());
    }

    @Test
    void theRestOfALongTextMayMeanAnything() {
        String beginning = "select 1 /*" + "x".repeat(Statement.LOOKED_AT);
        Statement one = Statement.of(beginning + "*/; listen a", Scope.SHARED);
        assertThat(one.effects().isNothing()).isTrue();
        assertThat(one.effects().hasVolatileLiteral()).isTrue();
        assertThat(Statement.of("listen a; " + beginning, Scope.SHARED)
                        .effects()
                        .pinnedBy())
                .isPresent();
        assertThat(Statement.of("select 1 /*" + "x".repeat(100_000) + "*/", Scope.SHARED)
                        .effects()
                        .hasVolatileLiteral())
                .isFalse();
    }

    @Test
    void textsOfTheSameHashAreTwo() {
        // "Aa" and "BB" have the same hash
        assertThat(of("Aa", 0)).hasSameHashCodeAs(of("BB", 0)).isNotEqualTo(of("BB", 0));
    }

    private Statement of(String sql, int offset) {
        byte[] tail = tail(sql);
        byte[] in = new byte[offset + tail.length + 5];
        Arrays.fill(in, (byte) 'z');
        System.arraycopy(tail, 0, in, offset, tail.length);
        return catalog.of(in, offset, offset + tail.length, Scope.SHARED);
    }

    private static byte[] tail(String sql) {
        return (sql + "\0\0\0").getBytes(StandardCharsets.UTF_8);
    }
}
