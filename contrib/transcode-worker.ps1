<#
.SYNOPSIS
Makes symcaches of Microsoft's format for a symcached server on another machine.

.DESCRIPTION
Asks the server for a job, downloads its PDB, runs symcachegen.exe in a temporary folder, and uploads the result. Needs
the Windows Performance Toolkit, and no open port. PowerShell 5.1 and later.

With -Once it does one job, if there is one, and ends; its exit status is 1 if the server does not know the job's end.

.EXAMPLE
$env:SYMCACHED_TOKEN = '...'; .\transcode-worker.ps1 -Server https://symbols.example.com
#>
param(
    [Parameter(Mandatory = $true)] [string] $Server,
    [string] $Token = $env:SYMCACHED_TOKEN,
    [string] $Symcachegen = "${env:ProgramFiles(x86)}\Windows Kits\10\Windows Performance Toolkit\symcachegen.exe",
    [int[]] $Majors = @(3),
    [string] $Name = $env:COMPUTERNAME,
    [int] $TimeoutSeconds = 1800,
    [int] $PauseSeconds = 15,
    [switch] $Once
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'  # the bar makes downloads many times slower in 5.1
# Where 5.1 does not leave the choice to the system (0), it may leave TLS 1.2 out.
$protocols = [Net.ServicePointManager]::SecurityProtocol
if ([int]$protocols -ne 0) {
    [Net.ServicePointManager]::SecurityProtocol = $protocols -bor [Net.SecurityProtocolType]::Tls12
}
$Server = $Server.TrimEnd('/')
$headers = @{}
if ($Token) { $headers['Authorization'] = "Bearer $Token" }
$answerSeconds = 60      # without a limit a lost connection would be waited for in vain
$transferSeconds = 3600  # as long as a lease lasts at most
$maxWhy = 2000           # characters; as JSON they fit into the 16 KiB of a request

function Send-Json([string] $Path, $Body) {
    $bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json $Body -Compress))
    Invoke-WebRequest -UseBasicParsing -DisableKeepAlive -Method Post -Uri "$Server$Path" -Headers $headers `
        -Body $bytes -ContentType 'application/json; charset=utf-8' -TimeoutSec $answerSeconds
}

# The status that a failed request was answered with; 0 if there was no answer.
function Get-Status($ErrorRecord) {
    $response = $ErrorRecord.Exception.Response
    if ($response) { [int]$response.StatusCode } else { 0 }
}

# A renewal that fails is made up for by the next one, unless the server has given the job to another worker.
function Update-Lease($Lease) {
    try {
        Send-Json "/transcode/lease/$($Lease.lease)/renew" @{} | Out-Null
    } catch {
        if ((Get-Status $_) -eq 410) { throw }
        Write-Warning "not renewed: $_"
    }
}

# What is there of a program's output; a program of its own may still hold the other end.
function Get-Output($Task) {
    if ($Task.Wait(5000)) { $Task.Result }
}

# Runs the tool until it ends, and keeps the lease meanwhile. Returns what went wrong, or nothing.
function Invoke-Symcachegen([string] $Pdb, [string] $Folder, $Lease) {
    $start = New-Object Diagnostics.ProcessStartInfo
    $start.FileName = $Symcachegen
    $start.Arguments = "-pdb `"$Pdb`""
    $start.WorkingDirectory = Split-Path $Symcachegen
    $start.UseShellExecute = $false
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.EnvironmentVariables['_NT_SYMCACHE_PATH'] = "$Folder\out"
    $start.EnvironmentVariables['_NT_SYMBOL_PATH'] = "$Folder\symbols"
    $process = [Diagnostics.Process]::Start($start)
    try {
        $process.StandardInput.Close()
        $output = $process.StandardOutput.ReadToEndAsync()
        $errors = $process.StandardError.ReadToEndAsync()
        $end = (Get-Date).AddSeconds($TimeoutSeconds)
        while (-not $process.WaitForExit([Math]::Max(1, [int]($Lease.lease_seconds / 4)) * 1000)) {
            if ((Get-Date) -gt $end) { return "no end after $TimeoutSeconds s" }
            Update-Lease $Lease
        }
    } finally {
        if (-not $process.HasExited) {
            $process.Kill()
            $null = $process.WaitForExit(10000)  # until then its files cannot be removed
        }
    }
    if ($process.ExitCode -eq 0) { return }
    $text = "exit status $($process.ExitCode): $(Get-Output $output) $(Get-Output $errors)"
    $text.Substring(0, [Math]::Min($text.Length, $maxWhy))
}

# The version in the name of what the tool wrote, and the file; otherwise why there is none.
function Get-Result([string] $Folder) {
    $made = @(Get-ChildItem -LiteralPath $Folder -Recurse -File -Filter '*.symcache' | Where-Object { $_.Length -gt 0 })
    if ($made.Count -ne 1) { return @{ why = "it wrote $($made.Count) symcaches" } }
    $version = [regex]::Match($made[0].Name, '-v(\d+\.\d+\.\d+)\.symcache$').Groups[1].Value
    if (-not $version) { return @{ why = "it wrote $($made[0].Name)" } }
    @{ version = $version; file = $made[0].FullName; size = $made[0].Length }
}

# Once more after a connection that broke: the lease is as it was.
function Send-Result([string] $File, [string] $Version, $Lease) {
    for ($attempt = 1; ; ++$attempt) {
        try {
            Invoke-WebRequest -UseBasicParsing -DisableKeepAlive -Method Put -Headers $headers -InFile $File `
                -Uri "$Server/transcode/lease/$($Lease.lease)?version=$Version" `
                -ContentType 'application/vnd.ms-symcache' -TimeoutSec $transferSeconds | Out-Null
            return
        } catch {
            $status = Get-Status $_
            if ($attempt -eq 3 -or ($status -ge 400 -and $status -lt 500)) { throw }
            Write-Warning "not uploaded: $_"
            Start-Sleep 5
        }
    }
}

function Invoke-Job($Lease) {
    $folder = Join-Path ([IO.Path]::GetTempPath()) "symcached-$([Guid]::NewGuid())"
    try {
        # The name becomes part of a path, so it is no more than a name.
        $isName = $Lease.pdb_name -match '^[^\\/:*?"<>|\x00-\x1f.][^\\/:*?"<>|\x00-\x1f]*$'
        if (-not $isName) { throw "unusable name $($Lease.pdb_name)" }
        $null = 'pdb', 'out', 'symbols' | ForEach-Object { New-Item -ItemType Directory "$folder\$_" }
        # -OutFile and -InFile take brackets in a name for wildcards, so neither gets a name that is not ours.
        Invoke-WebRequest -UseBasicParsing -DisableKeepAlive -Uri "$Server/transcode/lease/$($Lease.lease)/pdb" `
            -Headers $headers -OutFile "$folder\download" -TimeoutSec $transferSeconds
        $size = (Get-Item "$folder\download").Length
        if ($size -ne $Lease.pdb_size) { throw "$size bytes of the PDB came, $($Lease.pdb_size) were announced" }
        $pdb = "$folder\pdb\$($Lease.pdb_name)"
        [IO.File]::Move("$folder\download", $pdb)
        $why = Invoke-Symcachegen $pdb $folder $Lease
        $result = if ($why) { @{ why = $why } } else { Get-Result "$folder\out" }
        if ($result.why) {
            Send-Json "/transcode/lease/$($Lease.lease)/fail" @{ why = $result.why } | Out-Null
            Write-Warning "$($Lease.pdb_name): $($result.why)"
            return
        }
        [IO.File]::Move($result.file, "$folder\upload")
        Send-Result "$folder\upload" $result.version $Lease
        Write-Output "$($Lease.pdb_name): version $($result.version), $($result.size) bytes"
    } finally {
        Remove-Item -LiteralPath $folder -Recurse -Force -ErrorAction SilentlyContinue
    }
}

if (-not (Test-Path -LiteralPath $Symcachegen)) {
    throw "$Symcachegen is missing; install the Windows Performance Toolkit"
}
$Symcachegen = (Resolve-Path -LiteralPath $Symcachegen).ProviderPath  # processes do not know this shell's location
do {
    $failed = $false
    try {
        $answer = Send-Json '/transcode/lease' @{ worker = $Name; majors = $Majors }
        if ($answer.StatusCode -eq 200) {
            Invoke-Job (ConvertFrom-Json ([Text.Encoding]::UTF8.GetString($answer.RawContentStream.ToArray())))
        } elseif (-not $Once) { Start-Sleep $PauseSeconds }
    } catch {  # the lease runs out, and the job goes to the next worker
        $failed = $true
        Write-Warning "$_"
        if (-not $Once) { Start-Sleep $PauseSeconds }
    }
} while (-not $Once)
if ($failed) { exit 1 }
