package dev.headgate.sql;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * A selector over channels without sockets. It never waits: a wait ends at once, and {@link #timeoutMillis} says how long it might have
 * been. Keys are told in the order of their registration, so that a run can be repeated.
 */
final class FakeSelector extends AbstractSelector {

    private static final SelectorProvider PROVIDER = SelectorProvider.provider();

    /** A channel for registering; its bytes go elsewhere. */
    static final class Channel extends SocketChannel {
        private final IntSupplier ready;

        /** @param ready the operations that it is ready for now */
        Channel(IntSupplier ready) {
            super(PROVIDER);
            this.ready = ready;
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean block) {}

        @Override
        public SocketChannel bind(SocketAddress local) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> SocketChannel setOption(SocketOption<T> name, T value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public SocketChannel shutdownInput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel shutdownOutput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean isConnectionPending() {
            return false;
        }

        @Override
        public boolean connect(SocketAddress remote) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean finishConnect() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getRemoteAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getLocalAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(ByteBuffer to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] to, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) {
            throw new UnsupportedOperationException();
        }
    }

    private final class Key extends AbstractSelectionKey {
        private final Channel channel;
        private int interest;
        private int ready;

        Key(Channel channel) {
            this.channel = channel;
        }

        @Override
        public SelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            return FakeSelector.this;
        }

        @Override
        public int interestOps() {
            return interest;
        }

        @Override
        public SelectionKey interestOps(int operations) {
            interest = operations;
            return this;
        }

        @Override
        public int readyOps() {
            return ready;
        }
    }

    private final List<Key> registered = new ArrayList<>();
    private boolean waits;
    private int told;
    private long timeout;

    FakeSelector() {
        super(PROVIDER);
    }

    /** Whether the last turn found nothing to do: a real selector would wait now. */
    boolean isIdle() {
        return waits && told == 0;
    }

    /** How long the last wait would have been at most, in milliseconds; 0 for ever. */
    long timeoutMillis() {
        return timeout;
    }

    private int tell(Consumer<SelectionKey> action) {
        told = 0;
        registered.removeIf(key -> !key.isValid());
        for (Key key : List.copyOf(registered)) {
            key.ready = key.channel.ready.getAsInt() & key.interest;
            if (key.isValid() && key.ready != 0) {
                told++;
                action.accept(key);
            }
        }
        return told;
    }

    @Override
    public int select(Consumer<SelectionKey> action, long atMostMillis) {
        waits = true;
        timeout = atMostMillis;
        return tell(action);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) {
        waits = false;
        return tell(action);
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        Key key = new Key((Channel) channel);
        key.interestOps(operations);
        key.attach(attachment);
        registered.add(key);
        return key;
    }

    @Override
    protected void implCloseSelector() {}

    @Override
    public Set<SelectionKey> keys() {
        return Set.copyOf(registered);
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long atMostMillis) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Selector wakeup() {
        return this;
    }
}
