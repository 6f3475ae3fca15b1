package dev.headgate.server;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Every setting of the service, with its default. Set by {@code headgate.*} in a properties or YAML file, by environment
 * ({@code HEADGATE_DATA}) or on the command line ({@code --headgate.data=...}). One that is not here is refused, but for the environment.
 *
 * @param data the folder for everything that must outlive the process: token, key, embedded PostgreSQL
 * @param node this node's name, part of every stored fact and every stream frame
 * @param address the address REST, stream and dashboard listen on
 * @param port their port; 0 takes a free one
 * @param demo whether to set up the demo's domains and loads
 * @param plugins the folder of the policy jars that ship with the service
 * @param pluginUploads what may be uploaded beside them
 * @param frontend a folder with the built dashboard; if it is missing, the one on the class path is served
 * @param files policy files to apply at the start, a file or a folder; null for none
 * @param wire the PostgreSQL wire port
 * @param store the control store
 * @param access who may use the API
 * @param history what is kept of the past
 * @param alarms how long past alarms are kept
 * @param annotations how long the marks on the charts are kept
 * @param audit how long entries of the audit are kept
 * @param policies how many policy sets are kept
 * @param limits what a request may cost
 * @param secrets what policy files may name that come with a request
 * @param sql what a request for SQL may cost
 */
@ConfigurationProperties(prefix = "headgate", ignoreUnknownFields = false)
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
        @DefaultValue Alarms alarms,
        @DefaultValue Annotations annotations,
        @DefaultValue Audit audit,
        @DefaultValue Policies policies,
        @DefaultValue Limits limits,
        @DefaultValue Secrets secrets,
        @DefaultValue Sql sql) {

    /**
     * The PostgreSQL wire port.
     *
     * @param enabled whether to open it
     * @param address the address it listens on
     * @param port 0 takes a free one
     * @param tlsCertificate a PEM file with the certificate chain; null to decline TLS
     * @param tlsKey the PEM file with its key
     * @param tlsSelfSigned whether to use a self-signed certificate instead, made in the data folder at the first start and kept
     * @param loginTimeout the most time from a client's connect to the end of its authentication
     * @param idleTimeout how long a client may stay idle outside a transaction; zero disables it
     * @param transactionTimeout how long a client that holds a connection may stay silent; zero disables it
     * @param alwaysReset whether to reset a session after every lease, not only after a known change
     * @param showHolder whether to append each client's address to its application_name on the server
     * @param loops threads that serve the clients; null for half of the processors, at least one
     * @param busyPoll whether a busy one looks for the next message before it sleeps; null for yes, unless a quota limits the process
     * @param mostArriving clients that have connected and not logged in; one more takes the place of the one that has waited longest
     * @param connectionsPerAddress such clients of one address; one more takes the place of its oldest, or is closed
     * @param statements prepared statements that one client may keep; one more ends its session
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
            @Nullable Integer loops,
            @Nullable Boolean busyPoll,
            @DefaultValue("1000") int mostArriving,
            @DefaultValue("900") int connectionsPerAddress,
            @DefaultValue("10000") int statements) {

        /**
         * @throws IllegalArgumentException if nobody has the time to log in, or a time is over before it begins; the other counts are
         *     looked at where the port is opened
         */
        public Wire {
            positive("login-timeout", loginTimeout.toMillis(), loginTimeout);
            notNegative("idle-timeout", idleTimeout);
            notNegative("transaction-timeout", transactionTimeout);
        }
    }

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

        /** @throws IllegalArgumentException if it has no connection */
        public Store {
            positive("connections", connections, connections);
        }

        public boolean embedded() {
            return url == null || url.isBlank();
        }

        @Override
        public String toString() {
            return embedded() ? "embedded" : url + " as " + user;
        }
    }

    /**
     * Who may use the API. Loopback names and the address itself are always allowed hosts; the service's own origin is always
     * allowed.
     *
     * @param allowedHosts further values of the Host header, without port
     * @param allowedOrigins further origins ("https://ops.example.org")
     * @param sessionLifetime how long a browser's session lasts
     * @param trustedProxies IP addresses whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are believed
     */
    public record Access(
            @DefaultValue List<String> allowedHosts,
            @DefaultValue List<String> allowedOrigins,
            @DefaultValue("7d") Duration sessionLifetime,
            @DefaultValue List<InetAddress> trustedProxies) {

        /** @throws IllegalArgumentException if a session ends as it begins */
        public Access {
            positive("session-lifetime", sessionLifetime.toMillis(), sessionLifetime);
        }
    }

    /**
     * What may be uploaded. An uploaded plugin is code that runs with all the rights of the service.
     *
     * @param allowedSha256 hashes of the only jars that may be uploaded; empty to allow any
     * @param memory bytes that all uploaded plugins may hold together; null for an eighth of the heap
     */
    public record PluginUploads(
            @DefaultValue List<String> allowedSha256,
            @Nullable DataSize memory) {}

    /**
     * How much history is kept.
     *
     * @param decisionRetention how long decisions are kept
     * @param decisionLimit the most decisions that are kept
     * @param seconds how long each domain's seconds are kept
     * @param tens how long periods of ten seconds are
     * @param minutes how long minutes are
     * @param tenMinutes how long periods of ten minutes are
     * @param connections how long the history of connections is kept; zero to keep only the last minutes, in memory
     * @param most bytes of all periods together in the control store; the oldest of the finest go first
     */
    public record History(
            @DefaultValue("7d") Duration decisionRetention,
            @DefaultValue("200000") int decisionLimit,
            @DefaultValue("24h") Duration seconds,
            @DefaultValue("3d") Duration tens,
            @DefaultValue("14d") Duration minutes,
            @DefaultValue("30d") Duration tenMinutes,
            @DefaultValue("24h") Duration connections,
            @DefaultValue("1GB") DataSize most) {

        /** @throws IllegalArgumentException if a time or a number is less than zero */
        public History {
            notNegative("decision-retention", decisionRetention);
            notNegative("decision-limit", decisionLimit);
            notNegative("seconds", seconds);
            notNegative("tens", tens);
            notNegative("minutes", minutes);
            notNegative("ten-minutes", tenMinutes);
            notNegative("connections", connections);
        }
    }

    /**
     * How many past alarms are kept. Open ones always are.
     *
     * @param keep how long after their end
     * @param limit the most
     */
    public record Alarms(
            @DefaultValue("90d") Duration keep,
            @DefaultValue("50000") int limit) {

        /** @throws IllegalArgumentException if the time or the number is less than zero */
        public Alarms {
            notNegative("keep", keep);
            notNegative("limit", limit);
        }
    }

    /**
     * How many annotations are kept.
     *
     * @param keep how long after their time
     * @param limit the most
     */
    public record Annotations(
            @DefaultValue("365d") Duration keep,
            @DefaultValue("10000") int limit) {

        /** @throws IllegalArgumentException if the time or the number is less than zero */
        public Annotations {
            notNegative("keep", keep);
            notNegative("limit", limit);
        }
    }

    /**
     * How much of the audit is kept.
     *
     * @param keep how long
     * @param limit the most entries
     */
    public record Audit(
            @DefaultValue("400d") Duration keep,
            @DefaultValue("1000000") int limit) {

        /** @throws IllegalArgumentException if the time or the number is less than zero */
        public Audit {
            notNegative("keep", keep);
            notNegative("limit", limit);
        }
    }

    /**
     * How many revisions are kept.
     *
     * @param revisions of each set, the one in force among them; those that a guard watches or may restore are kept besides
     */
    public record Policies(@DefaultValue("1000") int revisions) {}

    /**
     * What a request may cost, and how many may be answered at once. Who asks for more is refused with the limit's name.
     *
     * @param memory bytes of all that is held because somebody outside asked for it; null for a quarter of the heap
     * @param body bytes of a request's body; an uploaded plugin has a limit of its own
     * @param longRequests how many replays, plans, comparisons of files, exports and long histories are answered at once; of one caller
     *     half as many
     * @param requestsPerSecond of one caller: a token, its browser sessions together, or an address that shows neither; twice as many
     *     at once
     * @param connectionsPerAddress of HTTP, from one address; a new one takes the place of the oldest that waits
     * @param headersWithin the most time from the first byte of an HTTP request to the end of its headers
     * @param bodyWithin the most time for its body, and a second more for each 16 kB of it that have come
     * @param databases how many there may be
     * @param domains how many there may be, on all databases together
     * @param clients credentials of clients of the wire port, of all domains together
     * @param wireClients clients of the wire port that have logged in, of all domains together
     */
    public record Limits(
            @Nullable DataSize memory,
            @DefaultValue("1MB") DataSize body,
            @DefaultValue("4") int longRequests,
            @DefaultValue("500") int requestsPerSecond,
            @DefaultValue("1000") int connectionsPerAddress,
            @DefaultValue("20s") Duration headersWithin,
            @DefaultValue("20s") Duration bodyWithin,
            @DefaultValue("500") int databases,
            @DefaultValue("2000") int domains,
            @DefaultValue("10000") int clients,
            @DefaultValue("20000") int wireClients) {

        /** @throws IllegalArgumentException if one of them is zero or less: nobody would be served, or only some would */
        public Limits {
            positive("body", body.toBytes(), body);
            positive("long-requests", longRequests, longRequests);
            positive("requests-per-second", requestsPerSecond, requestsPerSecond);
            positive("connections-per-address", connectionsPerAddress, connectionsPerAddress);
            positive("headers-within", headersWithin.toMillis(), headersWithin);
            positive("body-within", bodyWithin.toMillis(), bodyWithin);
            positive("databases", databases, databases);
            positive("domains", domains, domains);
            positive("clients", clients, clients);
            positive("wire-clients", wireClients, wireClients);
        }
    }

    /**
     * The passwords of databases that policy files may name which are sent to the API. Files that are applied at the start are
     * the operator's own and may name any.
     *
     * @param folder with {@code passwordFile}, a file in this folder; null for none
     * @param envPrefix with {@code passwordEnv}, a variable whose name begins so; empty for none
     */
    public record Secrets(
            @Nullable Path folder, @DefaultValue("") String envPrefix) {}

    /**
     * SQL over HTTP.
     *
     * @param timeout the most time of a request
     * @param silence how long a caller that holds a connection may send nothing or read nothing; also how long any caller over
     *     HTTP may read nothing of its answer
     * @param whole bytes of an answer that leaves as one JSON object
     * @param row bytes of one row
     * @param keptBytes of all answers together that are fetched later
     * @param kept how long such an answer is kept after its end
     * @param keys how long an Idempotency-Key is known
     * @param mostKeys how many of them are known at once; half of it for each domain
     */
    public record Sql(
            @DefaultValue("10m") Duration timeout,
            @DefaultValue("30s") Duration silence,
            @DefaultValue("8MB") DataSize whole,
            @DefaultValue("16MB") DataSize row,
            @DefaultValue("1GB") DataSize keptBytes,
            @DefaultValue("1h") Duration kept,
            @DefaultValue("24h") Duration keys,
            @DefaultValue("100000") int mostKeys) {

        /** @throws IllegalArgumentException if a time, a size or the number of keys is zero or less, or what is kept is less than zero */
        public Sql {
            positive("timeout", timeout.toMillis(), timeout);
            positive("silence", silence.toMillis(), silence);
            positive("whole", whole.toBytes(), whole);
            positive("row", row.toBytes(), row);
            notNegative("kept", kept);
            notNegative("keys", keys);
            positive("most-keys", mostKeys, mostKeys);
        }
    }

    private static void notNegative(String setting, int amount) {
        notNegative(setting, amount < 0, amount);
    }

    private static void notNegative(String setting, Duration time) {
        notNegative(setting, time.isNegative(), time);
    }

    private static void notNegative(String setting, boolean isNegative, Object was) {
        if (isNegative) {
            throw new IllegalArgumentException(setting + " must not be less than 0, was " + was + ".");
        }
    }

    /** Spring names the group that the setting is in. */
    private static void positive(String setting, long amount, Object was) {
        if (amount <= 0) {
            throw new IllegalArgumentException(setting + " must be more than 0, was " + was + ".");
        }
    }
}
