package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.loop.Loop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MessageClientTest {

    private RelayLoops loops;
    private MessageClient client;
    private Transport transport;

    @BeforeEach
    void open() throws Exception {
        MemoryAccount memory = new MemoryAccount(1 << 20, RelayLoops.PORTIONS);
        loops = RelayLoops.open(1, true, new WirePort.LoopLog(), memory, Supervisor.silent());
        client = new MessageClient(loops.first(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        transport = onLoop(() -> client.open(new Loop.Ready() {
            @Override
            public void ready(int operations) {}

            @Override
            public void failed(Throwable fault) {
                throw new AssertionError(fault);
            }
        }));
    }

    @AfterEach
    void close() {
        loops.close();
    }

    @Test
    void whatHasComeAndIsNotReadIsKept() throws Exception {
        client.received(new byte[1_000]);
        client.received(new byte[2_000]);
        assertThat(kept()).isEqualTo(3_000);
        FrameReader reader = new FrameReader();
        assertThat(onLoop(() -> transport.read(reader, 400))).isEqualTo(400);
        assertThat(kept()).as("a message is kept as a whole").isEqualTo(3_000);
        assertThat(onLoop(() -> transport.read(reader, 1_000))).isEqualTo(600);
        assertThat(kept()).isEqualTo(2_000);
        onLoop(() -> {
            transport.close();
            return null;
        });
        assertThat(kept()).isZero();
    }

    @Test
    void whatIsOnItsWayToThePeerIsKept() throws Exception {
        onLoop(() -> transport.write(new FrameWriter(new Buffers()).write(new byte[5_000])));
        assertThat(kept()).isEqualTo(5_000);
        byte[] message = client.send();
        assertThat(kept()).isEqualTo(5_000);
        client.sent(message);
        assertThat(kept()).isZero();
    }

    private int kept() throws Exception {
        return onLoop(transport::kept);
    }

    /** After what the loop has been told. */
    private <T> T onLoop(Callable<T> question) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loops.first().loop().execute(() -> {
            try {
                answer.complete(question.call());
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        });
        return answer.get(20, TimeUnit.SECONDS);
    }
}
