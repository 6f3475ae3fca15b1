package dev.headgate.server.sql;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The names of PostgreSQL's own types, whose object ids are the same in every database. */
final class Types {

    /** Name, object id and that of its array (0 for none) of each, as in pg_type.dat of PostgreSQL 18. */
    private static final String OWN = """
            bool 16 1000, bytea 17 1001, char 18 1002, name 19 1003, int8 20 1016, int2 21 1005,
            int2vector 22 1006, int4 23 1007, regproc 24 1008, text 25 1009, oid 26 1028, tid 27 1010,
            xid 28 1011, cid 29 1012, oidvector 30 1013, json 114 199, xml 142 143, pg_node_tree 194 0,
            pg_ndistinct 3361 0, pg_dependencies 3402 0, pg_mcv_list 5017 0, xid8 5069 271, point 600 1017,
            lseg 601 1018, path 602 1019, box 603 1020, polygon 604 1027, line 628 629, float4 700 1021,
            float8 701 1022, unknown 705 0, circle 718 719, money 790 791, macaddr 829 1040, inet 869 1041,
            cidr 650 651, macaddr8 774 775, aclitem 1033 1034, bpchar 1042 1014, varchar 1043 1015,
            date 1082 1182, time 1083 1183, timestamp 1114 1115, timestamptz 1184 1185, interval 1186 1187,
            timetz 1266 1270, bit 1560 1561, varbit 1562 1563, numeric 1700 1231, refcursor 1790 2201,
            regprocedure 2202 2207, regoper 2203 2208, regoperator 2204 2209, regclass 2205 2210,
            regcollation 4191 4192, regtype 2206 2211, regrole 4096 4097, regnamespace 4089 4090,
            uuid 2950 2951, pg_lsn 3220 3221, tsvector 3614 3643, gtsvector 3642 3644, tsquery 3615 3645,
            regconfig 3734 3735, regdictionary 3769 3770, jsonb 3802 3807, jsonpath 4072 4073,
            txid_snapshot 2970 2949, pg_snapshot 5038 5039, int4range 3904 3905, numrange 3906 3907,
            tsrange 3908 3909, tstzrange 3910 3911, daterange 3912 3913, int8range 3926 3927,
            int4multirange 4451 6150, nummultirange 4532 6151, tsmultirange 4533 6152, tstzmultirange 4534 6153,
            datemultirange 4535 6155, int8multirange 4536 6157, record 2249 2287, cstring 2275 1263,
            void 2278 0, pg_brin_bloom_summary 4600 0, pg_brin_minmax_multi_summary 4601 0""";

    /** What the SQL standard calls some of them. */
    private static final Map<String, String> SPELLINGS = Map.ofEntries(
            Map.entry("bigint", "int8"),
            Map.entry("bit varying", "varbit"),
            Map.entry("boolean", "bool"),
            Map.entry("character", "bpchar"),
            Map.entry("character varying", "varchar"),
            Map.entry("decimal", "numeric"),
            Map.entry("double precision", "float8"),
            Map.entry("int", "int4"),
            Map.entry("integer", "int4"),
            Map.entry("real", "float4"),
            Map.entry("smallint", "int2"),
            Map.entry("time with time zone", "timetz"),
            Map.entry("time without time zone", "time"),
            Map.entry("timestamp with time zone", "timestamptz"),
            Map.entry("timestamp without time zone", "timestamp"));

    private static final String ARRAY = "[]";

    private static final Map<String, Integer> IDS = new HashMap<>();
    private static final Map<Integer, String> NAMES = new HashMap<>();

    static {
        for (String type : OWN.split(",\\s+", -1)) {
            String[] words = type.split(" ", -1);
            add(words[0], Integer.parseInt(words[1]));
            if (!words[2].equals("0")) {
                add(words[0] + ARRAY, Integer.parseInt(words[2]));
            }
        }
    }

    private static void add(String name, int id) {
        IDS.put(name, id);
        NAMES.put(id, name);
    }

    private Types() {}

    /** The name of a type; its object id where it is none of PostgreSQL's own. */
    static String name(int type) {
        String name = NAMES.get(type);
        return name == null ? Integer.toUnsignedString(type) : name;
    }

    /** The object id of a type by its name or SQL's, perhaps with [] for its array, or by the id itself. Empty if it is not known. */
    static Optional<Integer> id(String name) {
        if (name.chars().allMatch(Character::isDigit)) {
            return number(name);
        }
        String lower = name.toLowerCase(Locale.ROOT);
        boolean array = lower.endsWith(ARRAY);
        String element = array ? lower.substring(0, lower.length() - ARRAY.length()) : lower;
        String own = SPELLINGS.getOrDefault(element, element);
        return Optional.ofNullable(IDS.get(array ? own + ARRAY : own));
    }

    private static Optional<Integer> number(String id) {
        try {
            return Optional.of(Integer.parseUnsignedInt(id));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
