package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.access.Actor;
import dev.headgate.sql.SqlFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KeptAnswerTest {

    /** It is kept for an hour, and there may be thousands. */
    @Test
    void ofALongFailureTheBeginningIsRemembered(@TempDir Path folder) throws Exception {
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, room());
        answer.failed(SqlFailure.of("P0001", "x".repeat(60_000)), 3);
        answer.end(KeptAnswer.State.failed);
        assertThat(answer.failureAlone())
                .hasValueSatisfying(
                        alone -> assertThat(alone.why().getMessage()).hasSizeBetween(1_000, 1_010));
        answer.drop();
    }

    @Test
    @Timeout(60)
    void aReaderWhoHasGoneWaitsNoMore(@TempDir Path folder) throws Exception {
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, room());
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        answer.out().write(new byte[100]);
        assertThat(answer.copy(0, read, () -> true)).isFalse();
        assertThat(read.size()).isEqualTo(100);
        answer.end(KeptAnswer.State.done);
        assertThat(answer.copy(50, read, () -> true))
                .as("there is nothing to wait for")
                .isTrue();
        assertThat(read.size()).isEqualTo(150);
        answer.drop();
    }

    @Test
    void theFirst64kBAreInTheRoomThatEachTakes(@TempDir Path folder) throws Exception {
        AtomicLong taken = new AtomicLong();
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, counting(taken, 100_000));
        assertThat(taken).hasValue(65_536);
        answer.out().write(new byte[65_000]);
        assertThat(taken).hasValue(65_536);
        answer.out().write(new byte[5_000]);
        assertThat(taken).hasValue(70_000);
        assertThatThrownBy(() -> answer.out().write(new byte[50_000])).hasMessageContaining("kept-bytes");
        assertThat(taken).hasValue(70_000);
        answer.clear();
        assertThat(taken).hasValue(65_536);
        answer.out().write(new byte[100]);
        answer.end(KeptAnswer.State.failed);
        assertThat(answer.bytes()).isEqualTo(100);
        answer.drop();
        assertThat(taken).hasValue(0);
    }

    /** What follows those bytes now is the rest of a failure, and not of the row that they end in. */
    @Test
    void whoeverHasBytesOfAnAnswerThatWasClearedGetsNoneOfWhatIsThereNow(@TempDir Path folder) throws Exception {
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, room());
        answer.out().write(new byte[100]);
        answer.clear();
        answer.out().write(new byte[80]);
        answer.end(KeptAnswer.State.failed);
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        assertThat(answer.copy(50, read, () -> false)).isFalse();
        assertThat(read.size()).isZero();
        assertThat(answer.copy(0, read, () -> false)).isTrue();
        assertThat(read.size()).isEqualTo(80);
        answer.drop();
    }

    /** A piece at a time leaves. After the first the answer is cleared. */
    @Test
    void whoeverReadsAnAnswerThatIsClearedMeanwhileGetsNoneOfWhatComesThen(@TempDir Path folder) throws Exception {
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, room());
        byte[] row = new byte[20_000];
        answer.out().write(row);
        byte[] failure = new byte[20_000];
        Arrays.fill(failure, (byte) 'f');
        ByteArrayOutputStream read = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] from, int offset, int count) {
                if (size() == 0) {
                    clearAndFail(answer, failure);
                }
                super.write(from, offset, count);
            }
        };
        assertThat(answer.copy(0, read, () -> true)).isFalse();
        assertThat(read.toByteArray()).isNotEmpty().containsOnly(0);
        answer.drop();
    }

    private static void clearAndFail(KeptAnswer answer, byte[] failure) {
        try {
            answer.clear();
            answer.out().write(failure);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatNobodyWillAskForAgainIsDroppedWhenItIsRead(@TempDir Path folder) throws Exception {
        KeptAnswer answer = new KeptAnswer("a", "bank", Actor.ADMIN, true, folder, room());
        answer.attach();
        answer.attach();
        answer.end(KeptAnswer.State.failed);
        answer.dispose();
        answer.detach();
        assertThat(answer.isDropped()).isFalse();
        answer.detach();
        assertThat(answer.isDropped()).isTrue();
    }

    private static KeptAnswer.Quota counting(AtomicLong taken, long most) {
        return new KeptAnswer.Quota() {
            @Override
            public boolean take(long bytes) {
                boolean fits = taken.get() + bytes <= most;
                taken.addAndGet(fits ? bytes : 0);
                return fits;
            }

            @Override
            public void giveBack(long bytes) {
                taken.addAndGet(-bytes);
            }
        };
    }

    private static KeptAnswer.Quota room() {
        return new KeptAnswer.Quota() {
            @Override
            public boolean take(long bytes) {
                return true;
            }

            @Override
            public void giveBack(long bytes) {}
        };
    }
}
