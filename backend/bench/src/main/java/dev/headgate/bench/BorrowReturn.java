package dev.headgate.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Borrow and return without a query, on ten connections; nothing goes over the network. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class BorrowReturn {

    /** The compiler inlines differently in each fork, and their speeds differ, so it takes several. */
    private static final int FORKS = 6;

    private static final String NANOS = "ns a borrow and return";

    private Subject subject;
    private DataSource pool;
    private HikariDataSource hikari;

    @Setup
    public void open() throws IOException {
        subject = new Subject(30);
        pool = subject.headgate("bank", 10).dataSource("bench");
        hikari = subject.hikari(10);
    }

    @TearDown
    public void close() throws IOException {
        subject.close();
    }

    @Benchmark
    public void headgate() throws SQLException {
        pool.getConnection().close();
    }

    @Benchmark
    public void bareHikari() throws SQLException {
        hikari.getConnection().close();
    }

    static void measure(Sheet sheet) throws RunnerException {
        for (int threads : new int[] {1, 20}) {
            Collection<RunResult> results = new Runner(new OptionsBuilder()
                            .include(BorrowReturn.class.getSimpleName())
                            .threads(threads)
                            .forks(FORKS)
                            .shouldFailOnError(true)
                            .warmupIterations(3)
                            .warmupTime(TimeValue.seconds(1))
                            .measurementIterations(5)
                            .measurementTime(TimeValue.seconds(1))
                            .verbosity(org.openjdk.jmh.runner.options.VerboseMode.SILENT)
                            .build())
                    .run();
            String row = (threads == 1 ? "1 thread" : threads + " threads") + " on 10 connections";
            Sheet.Entry ours = sheet.entry(row, "Headgate");
            Sheet.Entry theirs = sheet.entry(row, "bare HikariCP");
            ours.add(NANOS, "%.0f", scores(results, "headgate"));
            theirs.add(NANOS, "%.0f", scores(results, "bareHikari"));
            ours.times(theirs, NANOS, threads == 1 ? "at most 1.15" : "at most 1.6");
            sheet.print();
        }
    }

    private static double[] scores(Collection<RunResult> results, String name) {
        return results.stream()
                .filter(result -> result.getParams().getBenchmark().endsWith("." + name))
                .flatMap(result -> result.getBenchmarkResults().stream())
                .mapToDouble(fork -> fork.getPrimaryResult().getScore())
                .toArray();
    }
}
