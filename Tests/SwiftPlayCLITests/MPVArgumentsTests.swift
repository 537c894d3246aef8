import Testing

@testable import SwiftPlayCLI

@Suite struct MPVArgumentsTests {
    @Test(arguments: [
        (["--pause=yes"], ["--pause"]), (["--pause=no"], ["--no-pause"]), (["--pause"], ["--pause"]),
        (["--no-pause"], ["--no-pause"]),
        (["--mute=yes", "--fs=no"], ["--mute", "--no-fs"]), (["--osc=no"], ["--no-osc"]),
        (["--stop-screensaver=no"], ["--no-stop-screensaver"]),
        (["--audio-pitch-correction=no"], ["--no-audio-pitch-correction"]),
        (["--audio-pitch-correction=yes"], ["--audio-pitch-correction"]),
        (["-fs"], ["--fs"]), (["--pip=no", "--untimed=no"], []), (["--pip=yes"], ["--pip"]),
        (["--loop-file"], ["--loop-file=inf"]), (["--loop-file=3"], ["--loop-file=3"]),
        (["--no-loop-file"], ["--loop-file=no"]),
        (["--keep-open"], ["--keep-open=yes"]), (["--keep-open=always"], ["--keep-open=always"]),
        (["--pause=maybe"], ["--pause=maybe"]), (["--volume=50", "a=b.mp4"], ["--volume=50", "a=b.mp4"]),
        (["--title=a=b=yes"], ["--title=a=b=yes"]), (["--", "--pause=yes", "-fs"], ["--", "--pause=yes", "-fs"]),
        ([], []),
    ])
    func optionSpellingsOfMPVAreNormalised(_ arguments: [String], _ expected: [String]) {
        #expect(MPVArguments.normalised(arguments) == expected)
    }
}
