package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PipelineTest {

    private final Pipeline pipeline = new Pipeline();
    private final AtomicInteger undone = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void whatWasAbsorbedIsAnsweredInItsTurn() throws ProtocolException {
        pipeline.sent(Sent.BIND);
        pipeline.sent(Sent.ABSORBED_PARSE);
        pipeline.sent(Sent.ABSORBED_CLOSE);
        pipeline.sent(Sent.OUR_PARSE);
        pipeline.sent(Sent.SYNC);
        assertThat(answered()).isEmpty();
        assertThat(pipeline.answered('2')).isTrue();
        assertThat(answered()).isEqualTo("13");
        assertThat(pipeline.answered('1')).as("ours").isFalse();
        assertThat(pipeline.answered('Z')).isTrue();
        assertThat(pipeline.isSettled()).isTrue();
        assertThat(pipeline.rounds()).isZero();
    }

    @Test
    void anErrorSkipsToTheSyncThatWasSent() throws ProtocolException {
        pipeline.sent(Owed.of(Sent.PARSE, undone::incrementAndGet));
        pipeline.sent(Owed.of(Sent.ABSORBED_PARSE, undone::incrementAndGet));
        pipeline.sent(Sent.SYNC);
        pipeline.sent(Owed.of(Sent.PARSE, undone::incrementAndGet));
        pipeline.sent(Sent.SYNC);
        pipeline.answered('E');
        assertThat(undone).hasValue(2);
        assertThat(pipeline.isSkipping()).isFalse();
        pipeline.answered('Z');
        assertThat(pipeline.answered('1')).isTrue();
        pipeline.answered('Z');
        assertThat(pipeline.isSettled()).isTrue();
        assertThat(pipeline.rounds()).isZero();
    }

    @Test
    void nothingIsOwedForWhatComesBetweenAnErrorAndTheNextSync() throws ProtocolException {
        pipeline.sent(Sent.PARSE);
        pipeline.answered('E');
        assertThat(pipeline.isSkipping()).isTrue();
        pipeline.sent(Owed.of(Sent.PARSE, undone::incrementAndGet));
        pipeline.sent(Owed.of(Sent.ABSORBED_PARSE, undone::incrementAndGet));
        pipeline.sent(Sent.EXECUTE);
        pipeline.sent(Sent.QUERY);
        assertThat(undone).hasValue(2);
        assertThat(pipeline.isSettled()).isTrue();
        assertThat(answered()).isEmpty();
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.rounds()).isEqualTo(1);
        pipeline.answered('Z');
        pipeline.sent(Sent.PARSE);
        assertThat(pipeline.answered('1')).isTrue();
    }

    @Test
    void anAnswerToNothingIsAFault() {
        assertThatThrownBy(() -> pipeline.answered('2')).isInstanceOf(ProtocolException.class);
        pipeline.sent(Sent.BIND);
        assertThatThrownBy(() -> pipeline.answered('1')).isInstanceOf(ProtocolException.class);
    }

    @Test
    void aSimpleQueryIsDoneStatementByStatement() throws ProtocolException {
        pipeline.sent(Owed.executing(Sent.QUERY, done::incrementAndGet, null));
        pipeline.sent(Owed.executing(Sent.QUERY, done::incrementAndGet, null));
        assertThat(pipeline.rounds()).isEqualTo(2);
        pipeline.answered('C');
        pipeline.answered('C');
        assertThat(done).hasValue(2);
        pipeline.answered('Z');
        pipeline.answered('C');
        pipeline.answered('E');
        pipeline.answered('Z');
        assertThat(done).as("the statement that failed is not done").hasValue(3);
        assertThat(pipeline.isSettled()).isTrue();
    }

    @Test
    void anExecutionIsDoneByItsCompletion() throws ProtocolException {
        for (char completion : new char[] {'C', 'I', 's'}) {
            pipeline.sent(Owed.executing(Sent.EXECUTE, done::incrementAndGet, "TAG"));
            assertThat(pipeline.head()).extracting(Owed::tag).isEqualTo("TAG");
            pipeline.answered(completion);
        }
        assertThat(done).hasValue(3);
    }

    @Test
    void theEndOfOurOwnRoundIsForNobody() throws ProtocolException {
        pipeline.sent(Sent.PARSE);
        pipeline.sent(Sent.OUR_SYNC);
        assertThat(pipeline.answered('1')).isTrue();
        assertThat(pipeline.answered('Z')).isFalse();
    }

    @Test
    void aSyncWithinACopyIsNotAnsweredAndItsEndMayHaveBeenSent() throws ProtocolException {
        pipeline.sent(Sent.EXECUTE);
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.copies()).isFalse();
        assertThat(pipeline.rounds()).isZero();
        pipeline.answered('C');
        assertThat(pipeline.isSettled()).isTrue();

        pipeline.sent(Sent.EXECUTE);
        pipeline.sent(Sent.COPY_END);
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.copies()).isTrue();
        assertThat(pipeline.rounds()).isEqualTo(1);
    }

    @Test
    void whatIsNoDataWithinACopyIsAFault() {
        pipeline.sent(Sent.QUERY);
        pipeline.sent(Sent.PARSE);
        pipeline.sent(Sent.SYNC);
        assertThatThrownBy(pipeline::copies).isInstanceOf(ProtocolException.class);
    }

    @Test
    void theEndOfACopyThatIsNoneHasNoAnswer() {
        pipeline.sent(Sent.COPY_END);
        assertThat(answered()).isEmpty();
        assertThat(pipeline.isSettled()).isTrue();
    }

    @Test
    void aBatchThatIsRetractedEndsForNobody() throws ProtocolException {
        pipeline.sent(Owed.of(Sent.BIND, undone::incrementAndGet));
        pipeline.sent(Owed.of(Sent.EXECUTE, undone::incrementAndGet));
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.isLastBatch()).isTrue();
        assertThat(pipeline.retract()).as("its Sync is on its way").isTrue();
        assertThat(undone).hasValue(2);
        assertThat(pipeline.rounds()).isEqualTo(1);
        assertThat(pipeline.answered('Z')).isFalse();
        assertThat(pipeline.isSettled()).isTrue();

        pipeline.sent(Sent.BIND);
        assertThat(pipeline.retract()).as("the caller sends one").isFalse();
        assertThat(pipeline.answered('Z')).isFalse();
    }

    @Test
    void anotherBatchBehindTheHeadsIsSeen() {
        pipeline.sent(Sent.BIND);
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.isLastBatch()).isTrue();
        pipeline.sent(Sent.BIND);
        assertThat(pipeline.isLastBatch()).isFalse();
        pipeline.sent(Sent.SYNC);
        assertThat(pipeline.isLastBatch()).isFalse();
    }

    @Test
    void rowsNoticesAndReportsAnswerNothing() throws ProtocolException {
        pipeline.sent(Sent.BIND);
        for (char type : "DNSAGHVt".toCharArray()) {
            assertThat(pipeline.answered(type)).isTrue();
        }
        assertThat(pipeline.head()).extracting(Owed::sent).isEqualTo(Sent.BIND);
    }

    private String answered() {
        FrameWriter writer = new FrameWriter(new Buffers());
        pipeline.answerAbsorbed(writer);
        StringBuilder types = new StringBuilder();
        byte[] bytes = writer.bytes();
        for (int at = 0; at < bytes.length; at += 5) {
            types.append((char) bytes[at]);
        }
        return types.toString();
    }
}
