package dev.headgate.wire.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.wire.protocol.Pipeline.Sent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PipelineTest {

    private final Pipeline pipeline = new Pipeline();
    private final ByteArrayOutputStream client = new ByteArrayOutputStream();

    @Test
    void whatWasAbsorbedIsAnsweredInItsTurn() throws IOException {
        pipeline.sent(Sent.BIND);
        pipeline.sent(Sent.ABSORBED_PARSE);
        pipeline.sent(Sent.OUR_PARSE);
        pipeline.sent(Sent.SYNC);
        assertThat(answered()).isEmpty();
        assertThat(pipeline.answered('2')).isTrue();
        assertThat(answered()).isEqualTo("1");
        assertThat(pipeline.answered('1')).as("ours").isFalse();
        assertThat(pipeline.answered('Z')).isTrue();
        assertThat(pipeline.isSettled()).isTrue();
        assertThat(pipeline.rounds()).isZero();
    }

    @Test
    void anErrorSkipsToTheSyncThatWasSent() throws IOException {
        AtomicInteger undone = new AtomicInteger();
        pipeline.sent(Sent.PARSE, undone::incrementAndGet);
        pipeline.sent(Sent.ABSORBED_PARSE, undone::incrementAndGet);
        pipeline.sent(Sent.SYNC);
        pipeline.sent(Sent.PARSE, undone::incrementAndGet);
        pipeline.sent(Sent.SYNC);
        pipeline.answered('E');
        assertThat(undone).hasValue(2);
        pipeline.answered('Z');
        assertThat(pipeline.answered('1')).isTrue();
        pipeline.answered('Z');
        assertThat(pipeline.isSettled()).isTrue();
    }

    @Test
    void nothingIsOwedForWhatComesBetweenAnErrorAndTheNextSync() throws IOException {
        AtomicInteger undone = new AtomicInteger();
        pipeline.sent(Sent.PARSE);
        pipeline.answered('E');
        pipeline.sent(Sent.PARSE, undone::incrementAndGet);
        pipeline.sent(Sent.ABSORBED_PARSE, undone::incrementAndGet);
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
    }

    private String answered() throws IOException {
        client.reset();
        FrameWriter writer = new FrameWriter(client, new Buffers());
        pipeline.answerAbsorbed(writer);
        writer.flush();
        StringBuilder types = new StringBuilder();
        byte[] bytes = client.toByteArray();
        for (int at = 0; at < bytes.length; at += 5) {
            types.append((char) bytes[at]);
        }
        return types.toString();
    }
}
