import Glibc
import SystemCalls
import Testing

@Suite struct LocalTimeTests {
    @Test func theOffsetIsThatOfTheCLibrary() {
        for seconds in [0, 1_704_067_200, 1_720_000_000] {
            var time = time_t(seconds), local = tm()
            localtime_r(&time, &local)
            #expect(LocalTime.utcOffset(at: Int64(seconds)) == local.tm_gmtoff)
        }
    }
}
