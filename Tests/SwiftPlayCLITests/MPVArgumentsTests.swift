import Testing

@testable import SwiftPlayCLI

@Suite struct MPVArgumentsTests {
    @Test(arguments: [
        (["--pause=yes"], ["--pause"]), (["--pause=no"], ["--no-pause"]), (["--pause"], ["--pause"]),
        (["--no-pause"], ["--no-pause"]),
        (["--mute=yes", "--fs=no"], ["--mute", "--no-fullscreen"]), (["--osc=no"], ["--no-osc"]),
        (["--stop-screensaver=no"], ["--no-stop-screensaver"]),
        (["--audio-pitch-correction=no"], ["--no-audio-pitch-correction"]),
        (["--audio-pitch-correction=yes"], ["--audio-pitch-correction"]),
        (["-fs"], ["--fullscreen"]), (["--pip=no", "--untimed=no"], []), (["--pip=yes"], ["--pip"]),
        (["--loop-file"], ["--loop-file=inf"]), (["--loop-file=3"], ["--loop-file=3"]),
        (["--no-loop-file"], ["--loop-file=no"]),
        (["--keep-open"], ["--keep-open=yes"]), (["--keep-open=always"], ["--keep-open=always"]),
        (["--pause=maybe"], ["--pause=maybe"]), (["--volume=50", "a=b.mp4"], ["--volume=50", "a=b.mp4"]),
        (["--title=a=b=yes"], ["--title=a=b=yes"]), (["--", "--pause=yes", "-fs"], ["--", "--pause=yes", "-fs"]),
        ([], []), (["--pause", "--fs", "--no-pause"], ["--fullscreen", "--no-pause"]),
        (["--no-audio", "--video=no", "--sub"], ["--aid=no", "--vid=no", "--sid=auto"]),
        (["--loop", "--loop=2", "--no-loop"], ["--loop-file=inf", "--loop-file=2", "--loop-file=no"]),
        (["-volume=5", "-pause", "-x", "-10"], ["--volume=5", "--pause", "-x", "-10"]),
    ])
    func optionSpellingsOfMPVAreNormalised(_ arguments: [String], _ expected: [String]) {
        #expect(MPVArguments.normalised(arguments) == expected)
    }
}
