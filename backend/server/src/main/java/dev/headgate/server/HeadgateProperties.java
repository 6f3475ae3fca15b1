package dev.headgate.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Every setting of the service, with its default. Set by {@code headgate.*} in a properties or YAML file, by environment
 * ({@code HEADGATE_DATA}) or on the command line ({@code --headgate.data=...}).
 *
 * @param data where everything is kept that must outlive the process: token, key, embedded PostgreSQL
 * @param node this node's name, carried by every stored fact and every stream frame
 * @param address the address REST, stream and dashboard listen on
 * @param port their port; 0 takes a free one
 * @param demo whether the demo's domains and loads are set up
 * @param plugins the folder of the policy jars that come with the service
 * @param pluginUploads what may be uploaded beside them
 * @param frontend a folder with the built dashboard; where it is missing the one on the class path is served
 * @param files policy files, one or a folder of them, that are applied at the start; null for none
 * @param wire the PostgreSQL wire port
 * @param store the control store
 * @param access who may ask
 * @param history what is kept of the past
 * @param limits what a request may cost
 * @param secrets what policy files may name that come with a request
 */
@ConfigurationProperties("headgate")
public record HeadgateProperties(
        @DefaultValue(".headgate") Path data,
        @DefaultValue("headgate-1") String node,
        @DefaultValue("127.0.0.1") String address,
        @DefaultValue("8080") int port,
        @DefaultValue("true") boolean demo,
        @DefaultValue("plugins") Path plugins,
        @DefaultValue PluginUploads pluginUploads,
        @DefaultValue("frontend/dist") Path frontend,
        @Nullable Path files,
        @DefaultValue Wire wire,
        @DefaultValue Store store,
        @DefaultValue Access access,
        @DefaultValue History history,
        @DefaultValue Limits limits,
        @DefaultValue Secrets secrets) {

    /**
     * The PostgreSQL wire port.
     *
     * @param enabled whether it is opened
     * @param address it listens on
     * @param port 0 takes a free one
     * @param tlsCertificate a PEM file with the certificate that clients are shown, and those that vouch for it; null to
     *     decline TLS
     * @param tlsKey the PEM file with its key
     * @param tlsSelfSigned whether, instead, a certificate of its own is made in the data folder at the first start, and kept
     * @param loginTimeout from a client's connect to the end of its authentication
     * @param idleTimeout of a client outside of a transaction; zero for none
     * @param transactionTimeout how long a client that holds a connection may stay silent; zero for none
     * @param alwaysReset whether a session is reset after every lease, not only when something in it is known to have
     *     changed
     * @param showHolder whether the server knows each client's address as part of its application_name
     * @param loops threads that clients are served on; null for half of the processors, one at least
     */
    public record Wire(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("127.0.0.1") String address,
            @DefaultValue("6432") int port,
            @Nullable Path tlsCertificate,
            @Nullable Path tlsKey,
            @DefaultValue("false") boolean tlsSelfSigned,
            @DefaultValue("15s") Duration loginTimeout,
            @DefaultValue("0s") Duration idleTimeout,
            @DefaultValue("5m") Duration transactionTimeout,
            @DefaultValue("false") boolean alwaysReset,
            @DefaultValue("false") boolean showHolder,
            @Nullable Integer loops) {}

    /**
     * The control store. Without a URL it is the embedded PostgreSQL under {@link HeadgateProperties#data()}.
     *
     * @param url a JDBC URL of PostgreSQL
     * @param connections the size of the store's own pool
     */
    public record Store(
            @Nullable String url,
            @Nullable String user,
            @Nullable String password,
            @DefaultValue("4") int connections) {

        public boolean embedded() {
            return url == null || url.isBlank();
        }

        @Override
        public String toString() {
            return embedded() ? "embedded" : url + " as " + user;
        }
    }

    /**
     * Who may ask. Loopback names and the address itself are always allowed hosts; the service's own origin always is an
     * allowed origin.
     *
     * @param allowedHosts further values of the Host header, without port
     * @param allowedOrigins further origins ("https://ops.example.org")
     * @param sessionLifetime a browser's session ends so long after it was opened
     */
    public record Access(
            @DefaultValue List<String> allowedHosts,
            @DefaultValue List<String> allowedOrigins,
            @DefaultValue("7d") Duration sessionLifetime) {}

    /**
     * What may be uploaded. An uploaded plugin is code that runs with all the rights of the service.
     *
     * @param allowedSha256 hashes of the jars that may be, and no other; empty for whatever an administrator uploads
     */
    public record PluginUploads(@DefaultValue List<String> allowedSha256) {}

    /**
     * What is kept of the past.
     *
     * @param decisionRetention decisions older than this are deleted
     * @param decisionLimit and of the younger ones, no more than so many are kept
     */
    public record History(
            @DefaultValue("7d") Duration decisionRetention,
            @DefaultValue("200000") int decisionLimit) {}

    /**
     * What a request may cost, and how many may be answered at once. Who asks for more is refused with the limit's name.
     *
     * @param body bytes of a request's body; an uploaded plugin has a limit of its own
     * @param longRequests how many replays, plans, comparisons of files, exports and long histories are answered at once
     * @param connectionsPerAddress of HTTP, from one address; a new one takes the place of the oldest that waits
     */
    public record Limits(
            @DefaultValue("1MB") DataSize body,
            @DefaultValue("4") int longRequests,
            @DefaultValue("1000") int connectionsPerAddress) {}

    /**
     * The passwords of databases that policy files may name which are sent to the API. Files that are applied at the start are
     * the operator's own and may name any.
     *
     * @param folder with {@code passwordFile}, a file in this folder; null for none
     * @param envPrefix with {@code passwordEnv}, a variable whose name begins so; empty for none
     */
    public record Secrets(
            @Nullable Path folder, @DefaultValue("") String envPrefix) {}
}
