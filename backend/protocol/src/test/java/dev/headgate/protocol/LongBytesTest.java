package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongBytesTest {

    private final byte[] all = new byte[2 * LongBytes.PIECE + 1_000];

    LongBytesTest() {
        new Random(26).nextBytes(all);
    }

    @Test
    void howeverItArrivesItIsTheSame() {
        Random random = new Random(1);
        LongBytes gathered = new LongBytes(all.length);
        for (int at = 0; at < all.length; ) {
            assertThat(gathered.isComplete()).isFalse();
            int count = Math.min(all.length - at, random.nextInt(200_000));
            gathered.add(all, at, count);
            at += count;
        }
        assertThat(gathered.isComplete()).isTrue();
        assertThat(gathered.toArray()).isEqualTo(all);
        assertThat(gathered)
                .isEqualTo(LongBytes.of(all, 0, all.length))
                .hasSameHashCodeAs(LongBytes.of(all, 0, all.length));
        all[all.length - 1]++;
        assertThat(gathered).isNotEqualTo(LongBytes.of(all, 0, all.length));
    }

    @Test
    void noPieceIsLongerThanARegion() {
        LongBytes gathered = LongBytes.of(all, 0, all.length);
        assertThat(gathered.pieces())
                .extracting(piece -> piece.length)
                .containsExactly(LongBytes.PIECE, LongBytes.PIECE, 1_000);
        assertThat(gathered.beginning()).isEqualTo(Arrays.copyOf(all, LongBytes.PIECE));
        assertThat(gathered.length()).isEqualTo(all.length);
    }

    @Test
    void takesNoMoreThanIsMissing() {
        LongBytes gathered = new LongBytes(10);
        gathered.add(all, 0, 8);
        assertThatThrownBy(() -> gathered.add(all, 0, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("3 bytes are added where 2 are missing");
        assertThat(gathered.isComplete()).isFalse();
    }

    @Test
    void aStatementOfSeveralPiecesIsWrittenWhole() {
        Statement statement = Statement.of(LongBytes.of(all, 0, all.length), Statement.Scope.SHARED);
        FrameWriter out = new FrameWriter(new Buffers());
        out.put('!');
        statement.write(out);
        out.put('!');
        byte[] written = out.bytes();
        assertThat(Arrays.copyOfRange(written, 1, written.length - 1)).isEqualTo(all);
        assertThat(statement.length()).isEqualTo(all.length);
        assertThat(statement).isEqualTo(Statement.of(all, Statement.Scope.SHARED));
    }
}
