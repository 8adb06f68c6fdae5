package dev.wheelhouse.facts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Compares schedules with a recording of {@code github.com/robfig/cron/v3}, whose making
 * {@code docs/internals/behaviours.md#schedules} describes. A line of the recording is a schedule with a time zone, a
 * time and the seconds from each run to the next (-1 for none), or a schedule that is refused, with the error.
 */
class CronScheduleTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static List<JsonNode> recorded() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        try (InputStream file = CronScheduleTest.class.getResourceAsStream("/facts/cron-schedules.jsonl.gz");
                BufferedReader reader = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(JSON.readTree(line));
            }
        }
        return lines;
    }

    @Test
    void runsAtTheTimesThatRobfigsCronComputesIn100000Cases() throws IOException {
        int cases = 0;
        List<String> wrong = new ArrayList<>();
        for (JsonNode line : recorded()) {
            if (line.size() != 4) {
                continue;
            }
            cases += line.get(3).size();
            ZoneId zone = TimeZones.load(line.get(1).asString());
            Instant from = Instant.EPOCH.plusMillis((long) (line.get(2).asDouble() * 1000));
            String computed = seconds(line.get(0).asString(), zone, from, line.get(3).size());
            if (!computed.equals(line.get(3).toString())) {
                wrong.add(computed + " for " + line);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(cases).isGreaterThanOrEqualTo(100_000);
    }

    private static String seconds(String text, ZoneId zone, Instant from, int count) {
        CronSchedule schedule = CronSchedule.parse(text, zone);
        List<Long> seconds = new ArrayList<>();
        Instant time = from;
        while (seconds.size() < count && time != null) {
            Instant next = schedule.next(time);
            seconds.add(next == null ? -1 : next.getEpochSecond() - time.getEpochSecond());
            time = next;
        }
        return seconds.toString().replace(" ", "");
    }

    @Test
    void isRefusedInTheWordsOfRobfigsCron() throws IOException {
        int cases = 0;
        List<String> wrong = new ArrayList<>();
        for (JsonNode line : recorded()) {
            if (line.size() == 2) {
                cases++;
                String refusal = refusal(line.get(0).asString());
                if (!refusal.equals(line.get(1).asString())) {
                    wrong.add(refusal + " for " + line);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(cases).isGreaterThan(3_000);
    }

    private static String refusal(String text) {
        try {
            return "accepted as " + CronSchedule.parse(text, ZoneOffset.UTC);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aDayThatAZoneLeftOutDoesNotStopTheSearch() {
        CronSchedule schedule = CronSchedule.parse("0 0 31 12 *", ZoneId.of("Pacific/Apia"));
        assertThat(schedule.next(Instant.parse("2011-12-27T00:00:00Z"))).isEqualTo("2011-12-30T10:00:00Z");
    }

    @Test
    void aScheduleWithoutMinutesNeverRuns() {
        assertThat(CronSchedule.parse(", * * * *", ZoneOffset.UTC).next(Instant.EPOCH)).isNull();
    }

    @Test
    void anOffsetIsNoNameOfATimeZone() {
        for (String name : List.of("+02:00", "UTC+1", "europe/berlin", "SystemV/EST5", "Nowhere")) {
            assertThatThrownBy(() -> TimeZones.load(name)).hasMessage("unknown time zone " + name);
        }
        assertThat(TimeZones.load("")).isEqualTo(ZoneOffset.UTC);
        assertThat(TimeZones.load("Local")).isEqualTo(ZoneId.systemDefault());
    }

    @Test
    void spacesInsideASchedulesTextTakeLinearWork() {
        String text = " a" + " ".repeat(5_000) + "b" + " ".repeat(5_000);
        AtomicLong looks = new AtomicLong();
        CharSequence counted = new CharSequence() {
            @Override
            public int length() {
                return text.length();
            }

            @Override
            public char charAt(int index) {
                looks.incrementAndGet();
                return text.charAt(index);
            }

            @Override
            public CharSequence subSequence(int start, int end) {
                return text.subSequence(start, end);
            }

            @Override
            public String toString() {
                return text;
            }
        };
        assertThat(Spaces.EDGES.matcher(counted).replaceAll("")).isEqualTo("a" + " ".repeat(5_000) + "b");
        assertThat(looks.get()).isLessThan(20L * text.length());
        assertThat(CronSchedule.parse("TZ=UTC \t@hourly \n", ZoneOffset.UTC).next(Instant.EPOCH))
                .isEqualTo("1970-01-01T01:00:00Z");
    }
}
