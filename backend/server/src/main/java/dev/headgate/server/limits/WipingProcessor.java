package dev.headgate.server.limits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.Adapter;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests as Tomcat's processor does, and forgets them: Tomcat reuses its buffers and overwrites only what the next request
 * needs, so that a password would stay in memory until a longer request comes along. It also says which connections wait within their headers.
 * Belongs to the thread that answers.
 */
final class WipingProcessor extends Http11Processor {

    private final UnfinishedHeaders unfinished;

    WipingProcessor(AbstractHttp11Protocol<?> protocol, Adapter adapter, UnfinishedHeaders unfinished) {
        super(protocol, adapter);
        this.unfinished = unfinished;
    }

    /** Wipes while the connection's lock is held, before Tomcat looks for the next request or gives the processor to another. */
    @Override
    public SocketState process(SocketWrapperBase<?> socket, SocketEvent event) throws IOException {
        SocketState state = SocketState.CLOSED;
        unfinished.goesOn(socket);
        try {
            state = super.process(socket, event);
            if (state == SocketState.LONG && event == SocketEvent.OPEN_READ && !isAsync()) {
                unfinished.waits(socket);
            }
            return state;
        } finally {
            switch (state) {
                case OPEN, CLOSED -> {
                    wipeRequest(true);
                    wipe(socket.getSocketBufferHandler());
                }
                case UPGRADING -> wipeRequest(false); // a stream's first frame may have followed its handshake
                default -> {} // the request goes on
            }
        }
    }

    private void wipeRequest(boolean whole) {
        if (request.getInputBuffer() instanceof ApplicationBufferHandler input) {
            ByteBuffer buffer = input.getByteBuffer();
            wipe(buffer, whole ? buffer.capacity() : buffer.position());
        }
        // The buffers of the answer's body cannot be reached; Tomcat makes others.
        request.setNote(CoyoteAdapter.ADAPTER_NOTES, null);
        response.setNote(CoyoteAdapter.ADAPTER_NOTES, null);
    }

    /** Nothing is wiped that is still to be read or written. */
    private static void wipe(@Nullable SocketBufferHandler buffers) {
        if (buffers == null) {
            return;
        }
        if (buffers.isReadBufferEmpty()) {
            ByteBuffer read = buffers.getReadBuffer();
            wipe(read, read.capacity());
        }
        if (buffers.isWriteBufferEmpty()) {
            ByteBuffer write = buffers.getWriteBuffer();
            wipe(write, write.capacity());
        }
    }

    private static void wipe(ByteBuffer buffer, int bytes) {
        if (buffer.hasArray()) {
            int from = buffer.arrayOffset();
            Arrays.fill(buffer.array(), from, from + bytes, (byte) 0);
        }
    }
}
